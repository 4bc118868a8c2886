import { serialise } from './json-writer.js';

const UNSTORABLE = /[\0\ud800-\udfff]/;

/**
 * Text as the server takes it for names and values that are looked up: without NUL and lone surrogates, which become
 * U+FFFD, and cut to a length. Never throws.
 * @param lengthMax in UTF-16 units.
 */
export function plainText(value: unknown, lengthMax: number): string {
  let text = typeof value === 'string' ? value : textOf(value);
  if (text.length > lengthMax) text = text.slice(0, lengthMax);
  return UNSTORABLE.test(text) ? text.replaceAll('\0', '\ufffd').toWellFormed() : text;
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '[unreadable]';
  }
}

/** Longest name of a trace or span that the server takes. */
export const NAME_LENGTH_MAX = 2_000;
/** Longest session, user, tag or model that the server takes. */
export const KEY_LENGTH_MAX = 512;

const CAUSES_MAX = 3;
const LENGTH_MAX = 100_000;
const MEMBERS_BYTES_MAX = 10_000;

/**
 * What a person reads of something thrown: `TypeError: fetch failed (caused by: connect ECONNREFUSED)`; the message alone
 * of a plain `Error`. Nothing else of it, since clients keep requests with their keys in errors; but the members of what is no
 * error, as JSON, without what they hold that is named like a secret. Never throws.
 */
export function errorText(error: unknown): string {
  const parts: string[] = [];
  for (let one = error; parts.length <= CAUSES_MAX;) {
    parts.push(oneText(one));
    const cause = readCause(one);
    if (cause === undefined || cause === null) break;
    one = cause;
  }
  return plainText(parts.join(' (caused by: ') + ')'.repeat(parts.length - 1), LENGTH_MAX);
}

function oneText(error: unknown): string {
  try {
    if (typeof error !== 'object' || error === null) return plainText(error, LENGTH_MAX) || 'an empty text was thrown';
    const { name, message } = error as { name?: unknown; message?: unknown };
    const members = isError(error) ? undefined : membersOf(error);
    if (typeof message !== 'string') return members ?? `${typeof name === 'string' ? name : 'an object'} was thrown`;
    const text = plainText(message, LENGTH_MAX);
    const said =
      typeof name !== 'string' || name === 'Error' ? text || 'Error' : text === '' ? name : `${name}: ${text}`;
    return members === undefined ? said : `${said} ${members}`;
  } catch {
    return 'something unreadable was thrown';
  }
}

const isError = (value: object): boolean =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

/** @returns the JSON of what an object or list has beside the members that are read of it elsewhere; nothing where it has no more. */
function membersOf(thrown: object): string | undefined {
  const { name: _name, message, stack: _stack, cause: _cause, ...others } = thrown as Record<string, unknown>;
  const rest = typeof message === 'string' ? others : thrown;
  const { json = '' } = Object.keys(rest).length === 0 ? {} : serialise(rest, MEMBERS_BYTES_MAX);
  // An object that does something is only named.
  return /^[{[]/.test(json) ? json : undefined;
}

function readCause(error: unknown): unknown {
  try {
    return typeof error === 'object' && error !== null ? (error as { cause?: unknown }).cause : undefined;
  } catch {
    return undefined;
  }
}
