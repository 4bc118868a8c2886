import { parseExactJson } from '@spandrel/contract';

/** Readers for JSON that somebody else wrote: a member of another type than expected reads as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

const NOTHING: JsonObject = Object.freeze({});

/** The value when it is a JSON object, else an empty one. */
export const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : NOTHING;

/** The value when it is a list, else an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value when it is a text, else `null`. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The value when it is a text that holds something, else `null`. */
export const filledTextOf = (value: unknown): string | null => textOf(value) || null;

/** The value when it is a whole number from 0 to 2^53 - 1 (a token count, a position), or the text of one, else `null`. */
export function countOf(value: unknown): number | null {
  const number = numberIn(value);
  return Number.isSafeInteger(number) && number! >= 0 ? number : null;
}

/** The value when it is a number from 0 (a cost, a time), or the text of one, else `null`. */
export function amountOf(value: unknown): number | null {
  const number = numberIn(value);
  return number !== null && Number.isFinite(number) && number >= 0 ? number : null;
}

/** A number, one that is kept as its source text, or one that was sent as a text; `null` for anything else. */
function numberIn(value: unknown): number | null {
  const text = JSON.isRawJSON(value) ? value.rawJSON : value;
  if (typeof text !== 'string') return typeof text === 'number' ? text : null;
  return text.length <= NUMBER_CHARS_MAX && NUMBER.test(text) ? Number(text) : null;
}

const NUMBER = /^\s*\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i;
/** No number that anyone sends is longer. */
const NUMBER_CHARS_MAX = 64;

/** The object without some of its members. */
export function without(object: JsonObject, ...members: string[]): Record<string, unknown> {
  const left: Record<string, unknown> = { ...object };
  for (const member of members) delete left[member];
  return left;
}

/** The value of a JSON text; `undefined` when it is not JSON. For frames of a stream: the fast way. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads JSON like {@link readJson}, with numbers kept to the last digit: for values that a recording keeps. */
export function readExactJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** A JSON value as the text that a model reads and is compared with (docs/spec/evaluations.md#expected-text). */
export const plainTextOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
