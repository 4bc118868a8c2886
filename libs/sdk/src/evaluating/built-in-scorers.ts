import { firstDifference, textOf } from './json.js';
import type { NamedScore, ScorerFunction, ScorerInput } from './scorer.js';

/** Functions of this file, which are too quick and too plain to be recorded as spans. */
const BUILT_IN = new WeakSet<object>([exactMatch, contains, jsonEqual, matches]);

/** Whether a function is one of the scorers that the package brings. */
export const isBuiltIn = (score: object): boolean => BUILT_IN.has(score);

/** The output is the expected value: the same text, case included, or the same JSON however it is written. */
export function exactMatch({ output, expected }: ScorerInput): NamedScore {
  const wanted = expectedOf(expected, 'exactMatch');
  if (textOf(output) === textOf(wanted)) return { score: 1 };
  if (typeof wanted === 'string') return { score: 0 };
  const read = typeof output === 'string' ? parsed(output) : { value: jsonOf(output) };
  return { score: read && firstDifference(read.value, jsonOf(wanted)) === undefined ? 1 : 0 };
}

/** The output has the expected text in it, in any case. */
export function contains({ output, expected }: ScorerInput): NamedScore {
  const wanted = textOf(expectedOf(expected, 'contains')) ?? '';
  return { score: (textOf(output) ?? '').toLowerCase().includes(wanted.toLowerCase()) ? 1 : 0 };
}

/** The output is the expected JSON, whatever the order of its members; texts are read as JSON first. The reason says where it differs. */
export function jsonEqual({ output, expected }: ScorerInput): NamedScore {
  const wanted = expectedOf(expected, 'jsonEqual');
  const right = typeof wanted === 'string' ? (parsed(wanted) ?? { value: wanted }) : { value: jsonOf(wanted) };
  const read = typeof output === 'string' ? parsed(output) : { value: jsonOf(output) };
  // A text that is expected, and not JSON, is a JSON string.
  if (!read) return output === right.value ? { score: 1 } : { score: 0, reason: 'the output is not JSON' };
  const difference = firstDifference(read.value, right.value);
  return difference === undefined ? { score: 1 } : { score: 0, reason: difference };
}

/**
 * The output matches a regular expression: the given one (`matches(/^\d+$/)`), else that which the datapoint expects, written `^\d+$` or
 * `/^\d+$/i`.
 */
export function matches(pattern: RegExp): ScorerFunction;
export function matches(sample: ScorerInput): NamedScore;
export function matches(given: RegExp | ScorerInput): ScorerFunction | NamedScore {
  if (!(given instanceof RegExp)) return matched(given.output, patternOf(expectedOf(given.expected, 'matches')));
  const score: ScorerFunction = ({ output }) => matched(output, given);
  Object.defineProperty(score, 'name', { value: 'matches' });
  BUILT_IN.add(score);
  return score;
}

/** `g` and `y` would make the answer depend on the one before. */
const matched = (output: unknown, { source, flags }: RegExp): NamedScore => ({
  score: new RegExp(source, flags.replace(/[gy]/g, '')).test(textOf(output) ?? '') ? 1 : 0,
});

function patternOf(expected: unknown): RegExp {
  const text = textOf(expected) ?? '';
  const literal = /^\/(.+)\/([a-z]*)$/s.exec(text);
  return literal ? new RegExp(literal[1]!, literal[2]) : new RegExp(text);
}

function expectedOf(expected: unknown, name: string): unknown {
  if (expected === undefined || expected === null)
    throw new Error(`the datapoint expects nothing, which ${name} needs`);
  return expected;
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The value as JSON has it: without members that are undefined, dates as texts. */
const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
