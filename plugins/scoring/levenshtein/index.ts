import { defineScorer, plainTextOf } from '@spandrel/plugin-api';
import { distance } from 'fastest-levenshtein';

/** The product of the lengths that two texts may have where they differ: some seconds. */
const PRODUCT_MAX = 1e10;

/**
 * How like the expected text the output is: 1 − changes / length of the longer one, a change being a character put in, taken
 * out or replaced (docs/spec/evaluations.md#scoring-strategies).
 */
export default defineScorer({
  name: 'Levenshtein',
  setup: () => ({
    needsExpected: true,
    isGraded: true,
    inThread: true,
    score({ output, expected }) {
      const [one, other] = toUnits(output, plainTextOf(expected));
      const length = Math.max(one.length, other.length);
      return { score: length === 0 ? 1 : 1 - countChanges(one, other) / length };
    },
  }),
});

const SURROGATE = /[\ud800-\udfff]/;
const UNITS_MAX = 0x10000;

/** The texts with a UTF-16 unit for each of their characters, where some have two: an emoji is one character. */
function toUnits(one: string, other: string): [string, string] {
  if (!SURROGATE.test(one) && !SURROGATE.test(other)) return [one, other];
  const units = new Map<string, string>();
  const toUnit = (character: string): string => {
    let unit = units.get(character);
    if (unit === undefined) units.set(character, (unit = String.fromCharCode(units.size)));
    return unit;
  };
  const [first, second] = [Array.from(one, toUnit).join(''), Array.from(other, toUnit).join('')];
  if (units.size > UNITS_MAX) throw new Error(`the texts have more than ${UNITS_MAX} different characters`);
  return [first, second];
}

/** @throws Error where the texts are too long to compare. */
function countChanges(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (left.length * right.length > PRODUCT_MAX) {
    throw new Error(
      `the texts are too long to compare: between what they have in common at both ends there are ${left.length} and ${right.length} characters, and the product of these may be ${PRODUCT_MAX} at most`,
    );
  }
  return distance(left, right);
}
