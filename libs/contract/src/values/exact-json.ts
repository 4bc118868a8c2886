import { describeJsonFault } from './json-fault.js';
import { endOfString } from './json-members.js';

/**
 * JSON in and out without changing a value (docs/spec/general.md#values-are-kept-exactly).
 *
 * `JSON.parse` alone rounds integers beyond 2^53 and turns `1e400` into Infinity. Bodies that can hold such a number (a
 * long run of digits, a three-digit exponent, not within a text) are read with source text; everything else takes the
 * fast way.
 */

/** Levels of arrays and objects a body may nest (docs/spec/general.md#json). */
export const JSON_DEPTH_MAX = 200;

/** Members one object of a body may have: a million of them keep the parser busy for a second. */
export const JSON_MEMBERS_MAX = 100_000;

/** A JSON value. A number that a double cannot hold is a raw JSON number (see `JSON.rawJSON`). */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Thrown for text that is not JSON or that cannot be kept exactly; `message` is fit for the caller. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/** Begins with a digit whatever it takes, so that prose without digits is passed over in a sixth of the time. */
const MAY_LOSE_DIGITS = /\d(?:[\d.]{15}|[eE][+-]?\d{3})/;

/**
 * Parses JSON text.
 * @param text UTF-16 text of one JSON value.
 * @returns the value; own `__proto__` keys stay own keys, the last of duplicate keys wins.
 * @throws JsonSyntaxError when the text is not JSON, nests deeper than {@link JSON_DEPTH_MAX}, has an object of more
 *   than {@link JSON_MEMBERS_MAX} members, or holds a number outside the range of a double.
 */
export function parseExactJson(text: string): JsonValue {
  assertModest(text);
  return readExactJson(text);
}

/**
 * Reads JSON text that the service itself wrote: exact like {@link parseExactJson}, without its limits, which an answer
 * around values at their limits would exceed.
 * @throws JsonSyntaxError when the text is not JSON, or holds a number outside the range of a double.
 */
export function readExactJson(text: string): JsonValue {
  try {
    return (mayLoseDigits(text) ? JSON.parse(text, keepExactNumber) : JSON.parse(text)) as JsonValue;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw error;
    throw new JsonSyntaxError(describeJsonFault(text));
  }
}

/**
 * Whether there may be such a number outside texts: reading with source text takes several times as long, and ids have
 * digits.
 */
function mayLoseDigits(text: string): boolean {
  if (!MAY_LOSE_DIGITS.test(text)) return false;
  let from = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', from)) {
    if (start - from >= SHORTEST && MAY_LOSE_DIGITS.test(text.slice(from, start))) return true;
    const end = endOfString(text, start);
    if (end === -1) return false;
    from = end + 1;
  }
  return MAY_LOSE_DIGITS.test(text.slice(from));
}

/** Length of the shortest number that {@link MAY_LOSE_DIGITS} takes: `1e100`. */
const SHORTEST = 5;

function keepExactNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const source = context.source;
  if (!Number.isFinite(value)) throw new JsonSyntaxError(`number ${clip(source)} is out of range`);
  if (source === String(value) || sameNumber(source, value)) return value;
  if (value === 0) throw new JsonSyntaxError(`number ${clip(source)} is out of range`);
  return JSON.rawJSON(source);
}

/** True when the decimal in `source` and the shortest decimal of `value` are the same number. */
function sameNumber(source: string, value: number): boolean {
  const written = decimalParts(source);
  const kept = decimalParts(String(value));
  return written.digits === kept.digits && written.exponent === kept.exponent && written.negative === kept.negative;
}

/** Linear in the length of `text`, which a caller may make megabytes long. */
function decimalParts(text: string): { negative: boolean; digits: string; exponent: number } {
  const negative = text.startsWith('-');
  const mark = text.search(/[eE]/);
  const mantissa = text.slice(negative ? 1 : 0, mark === -1 ? text.length : mark);
  const point = mantissa.indexOf('.');
  const all = mantissa.replace('.', '');
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === ZERO) end--;
  let start = 0;
  while (start < end && all.charCodeAt(start) === ZERO) start++;
  if (start === end) return { negative: false, digits: '', exponent: 0 };
  const fractionDigits = point === -1 ? 0 : mantissa.length - point - 1;
  const exponent = (mark === -1 ? 0 : Number(text.slice(mark + 1))) - fractionDigits + (all.length - end);
  return { negative, digits: all.slice(start, end), exponent };
}

const ZERO = 0x30;

/**
 * Refuses what would keep the event loop for long, before it is parsed. Counts brackets and colons outside strings and
 * jumps from quote to quote, so long texts cost little.
 */
function assertModest(text: string): void {
  if (text.length <= SHORT && !hasMore(text, JSON_DEPTH_MAX, '[', '{')) return;
  members[0] = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfString(text, i);
      if (i === -1) return;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > JSON_DEPTH_MAX) throw new JsonSyntaxError(`JSON nests deeper than ${JSON_DEPTH_MAX} levels`);
      members[depth] = 0;
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    } else if (code === 0x3a && ++members[depth]! > JSON_MEMBERS_MAX) {
      throw new JsonSyntaxError(`an object has more than ${JSON_MEMBERS_MAX} members`);
    }
  }
}

/** A text no longer than this has no object of too many members: each takes quotes, a colon, a value and a comma. */
const SHORT = 5 * JSON_MEMBERS_MAX;

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

/** Members so far of the object at each depth; only while {@link assertModest} runs. */
const members = new Uint32Array(JSON_DEPTH_MAX + 1);

const clip = (source: string): string => (source.length > 40 ? `${source.slice(0, 40)}…` : source);
