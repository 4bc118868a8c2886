import { endOfString } from './json-members.js';

/**
 * A JSON value. A number that a double cannot hold is a raw JSON number (see `JSON.rawJSON`); so is, of a reader that
 * keeps sources, each number that `JSON.stringify` would write in another way.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Thrown for text that is not JSON or that cannot be kept exactly; `message` is fit for the caller. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/** Parses a JSON text, as one of the functions below. @throws SyntaxError */
export type ParseJson = (text: string) => JsonValue;

/** Begins with a digit whatever it takes, so that prose without digits is passed over in a sixth of the time. */
const MAY_LOSE_DIGITS = /\d(?:[\d.]{15}|[eE][+-]?\d{3})/;

/** `JSON.parse` that keeps every digit, also of integers beyond 2^53. @throws SyntaxError; JsonSyntaxError out of range. */
export function parseWithAllDigits(text: string): JsonValue {
  return (hasOutsideTexts(text, MAY_LOSE_DIGITS) ? JSON.parse(text, keepExactNumber) : JSON.parse(text)) as JsonValue;
}

/** Takes numbers that `JSON.stringify` may write in another way: `3.10`, `1e5`, `-0`, `0.0000001`, and those with many digits. */
const MAY_CHANGE_TEXT = /\d(?:[\d.]{15}|[eE]|\.(?:0{6}|\d*0\b))|(?<=-)0(?![\d.])/;

/**
 * {@link parseWithAllDigits} that also keeps how numbers are written: `3.10` stays `3.10`, not 3.1. For payloads that are
 * shown, exported and sent as they came: who calculates with such a number has to read it by `numberOf`.
 */
export function parseWithSources(text: string): JsonValue {
  return (hasOutsideTexts(text, MAY_CHANGE_TEXT) ? JSON.parse(text, keepSource) : JSON.parse(text)) as JsonValue;
}

/** Whether something outside of texts may be such a number: reading with source text takes several times as long. */
function hasOutsideTexts(text: string, numbers: RegExp): boolean {
  if (text.length < LONG && !numbers.test(text)) return false;
  let from = 0;
  let strings = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', from)) {
    // Many short strings take longer to jump over than to look through.
    if (++strings === STRINGS_TRIED && from < LONG && text.length >= LONG && !numbers.test(text.slice(from))) {
      return false;
    }
    if (start - from >= SHORTEST && numbers.test(text.slice(from, start))) return true;
    const end = endOfString(text, start);
    if (end === -1) return false;
    from = end + 1;
  }
  return numbers.test(text.slice(from));
}

/** UTF-16 units from which on a JSON text may well be one long string with a few members beside it. */
const LONG = 4_096;
/** How many strings are jumped over before their length is judged. */
const STRINGS_TRIED = 64;

/** Length of the shortest number between two texts that is looked for, with what must stand around it: `:-0,`. */
const SHORTEST = 4;

function keepExactNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const source = context.source;
  if (!Number.isFinite(value)) throw new JsonSyntaxError(`number ${clip(source)} is out of range`);
  if (source === String(value) || sameNumber(source, value)) return value;
  if (value === 0) throw new JsonSyntaxError(`number ${clip(source)} is out of range`);
  return JSON.rawJSON(source);
}

function keepSource(this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
  const kept = keepExactNumber.call(this, key, value, context);
  const source = context?.source;
  return typeof kept !== 'number' || source === undefined || source === String(kept) ? kept : JSON.rawJSON(source);
}

function sameNumber(source: string, value: number): boolean {
  const written = decimalParts(source);
  const kept = decimalParts(String(value));
  return written.digits === kept.digits && written.exponent === kept.exponent && written.negative === kept.negative;
}

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

const clip = (source: string): string => (source.length > 40 ? `${source.slice(0, 40)}…` : source);
