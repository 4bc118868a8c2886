import { describeJsonFault } from './json-fault.js';
import { JsonSyntaxError, parseWithAllDigits, type JsonValue, type ParseJson } from './json-digits.js';
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX, parseInPieces, TooManyValues } from './json-in-pieces.js';

export { JSON_DEPTH_MAX, JSON_MEMBERS_MAX, TooManyValues };

/**
 * Parses JSON text without changing a value (docs/spec/general.md#values-are-kept-exactly): own `__proto__` keys stay
 * own keys, the last of duplicate keys wins.
 * @param valuesMax as {@link parseInPieces} counts them. @param parse how numbers are kept.
 * @throws JsonSyntaxError when the text is no JSON, holds a number outside the range of a double, nests deeper than
 * {@link JSON_DEPTH_MAX} or has an object of more than {@link JSON_MEMBERS_MAX} members. TooManyValues.
 */
export function parseExactJson(text: string, valuesMax = Infinity, parse: ParseJson = parseWithAllDigits): JsonValue {
  const parsing = exactJsonInPieces(text, valuesMax, parse);
  for (;;) {
    const { done, value } = parsing.next();
    if (done) return value;
  }
}

/** {@link parseExactJson} for long texts: at each `yield` others may have their turn. */
export function* exactJsonInPieces(
  text: string,
  valuesMax = Infinity,
  parse: ParseJson = parseWithAllDigits,
): Generator<void, JsonValue, void> {
  try {
    if (text.length <= SHORT && text.length < 2 * valuesMax && !hasMore(text, JSON_DEPTH_MAX, '[', '{')) {
      return parse(text);
    }
    return yield* parseInPieces(text, valuesMax, undefined, parse);
  } catch (error) {
    throw jsonFault(text, error);
  }
}

/** Reads JSON text of the service itself, exact and without limits. @throws JsonSyntaxError */
export function readExactJson(text: string, parse: ParseJson = parseWithAllDigits): JsonValue {
  try {
    return parse(text);
  } catch (error) {
    throw jsonFault(text, error);
  }
}

/** {@link readExactJson} for long texts: at each `yield` others may have their turn. @throws SyntaxError */
export const readJsonInPieces = (text: string, parse?: ParseJson): Generator<void, JsonValue, void> =>
  parseInPieces(text, Infinity, { depthMax: Infinity, membersMax: Infinity }, parse);

/** Reads long JSON of outsiders with numbers as numbers, in pieces. @throws SyntaxError, also beyond the limits. */
export const looseJsonInPieces = (text: string, valuesMax: number): Generator<void, JsonValue, void> =>
  parseInPieces(text, valuesMax, undefined, (piece) => JSON.parse(piece) as JsonValue);

const jsonFault = (text: string, error: unknown): unknown =>
  error instanceof SyntaxError ? new JsonSyntaxError(describeJsonFault(text)) : error;

/** A text no longer than this is parsed at once; no object in it has too many members, of five characters each. */
const SHORT = 131_072;

/** Whether two characters stand in a text more often than so, within strings or not: a look that costs next to nothing. */
function hasMore(text: string, times: number, ...characters: readonly [string, string]): boolean {
  let left = times;
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      if (--left < 0) return true;
    }
  }
  return false;
}
