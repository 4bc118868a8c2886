import { amountOf, countOf, filledTextOf, objectOf, readExactJson } from '../wire/lenient-json.js';
import type { Given, GivenMembers } from './dialect.js';
import type { OtelMap, OtelValue } from './otel-span.js';

/** Readers of single attributes: the first of the names that holds something of the wanted type; otherwise `undefined`. */

type Names = string | readonly string[];

/**
 * @deprecated A list of names does the same.
 * @returns the names.
 */
export const attributeNames = (...names: readonly string[]): readonly string[] => names;

function firstAt<Found>(
  attributes: OtelMap,
  names: Names,
  read: (value: OtelValue | undefined, name: string) => Found | null | undefined,
): Found | undefined {
  for (const name of typeof names === 'string' ? [names] : names) {
    const found = read(attributes.get(name), name) ?? undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A text that holds something. */
export const textAt = (attributes: OtelMap, names: Names): string | undefined =>
  firstAt(attributes, names, filledTextOf);

/** An id of a session, a user …: a text that holds something, or a whole number as text. */
export const idAt = (attributes: OtelMap, names: Names): string | undefined => firstAt(attributes, names, idOf);

/** A value as an id: a text that holds something, or a whole number as text; `undefined` for any other. */
export function idOf(value: OtelValue | undefined): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A number of tokens: a whole number from 0, or text of one. Others are unknown, so also `-1`. */
export const countAt = (attributes: OtelMap, names: Names): number | undefined => firstAt(attributes, names, countOf);

/** A number from 0, or text of one: a cost, a time. */
export const amountAt = (attributes: OtelMap, names: Names): number | undefined => firstAt(attributes, names, amountOf);

/** A flag, or the text `true` or `false` in any case. */
export const flagAt = (attributes: OtelMap, names: Names): boolean | undefined => firstAt(attributes, names, flagOf);

function flagOf(value: OtelValue | undefined): boolean | undefined {
  const flag = typeof value === 'string' ? FLAGS.get(value.toLowerCase()) : value;
  return typeof flag === 'boolean' ? flag : undefined;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Whether one of the names is there, with whatever value. */
export const hasAny = (attributes: OtelMap, names: readonly string[]): boolean =>
  names.some((name) => attributes.has(name));

/** Filled texts from a list, from JSON text of one, or from a text that stands alone. */
export function textsAt(attributes: OtelMap, name: string): string[] | undefined {
  const value = attributes.get(name);
  if (value === undefined || value === null) return undefined;
  const list = typeof value === 'string' ? looseJson(value) : value;
  const texts = (Array.isArray(list) ? list : [list]).filter((item): item is string => filledTextOf(item) !== null);
  return texts.length > 0 ? texts : undefined;
}

/**
 * The value of the first attribute that is there, and its name. Text is read by `parse`; `null` and empty text count as
 * not there.
 */
export function takeAt(
  attributes: OtelMap,
  names: Names,
  parse: (text: string) => unknown = looseJson,
): Given | undefined {
  return firstAt(attributes, names, (value, name) =>
    isFilled(value) ? { value: typeof value === 'string' ? parse(value) : plainValue(value), from: [name] } : undefined,
  );
}

/** An attribute that is an object or JSON text of one, as members; `undefined` for any other, and for an empty one. */
export function takeObject(attributes: OtelMap, name: string): GivenMembers | undefined {
  const taken = takeAt(attributes, name);
  const value = objectOf(taken?.value);
  return Object.keys(value).length > 0 ? { value, from: taken!.from } : undefined;
}

/** The names of all that several values were made of. */
export function namesOf(...given: readonly (Given | undefined)[]): string[] {
  const names: string[] = [];
  for (const one of given) if (one?.from !== undefined) for (const name of one.from) names.push(name);
  return names;
}

/** A value that is there and not empty text. */
export const isFilled = (value: OtelValue | undefined): value is NonNullable<OtelValue> =>
  value !== undefined && value !== null && value !== '';

/** Text that is a JSON object or list as that; any other as it is. */
export function looseJson(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (readExactJson(text) ?? text) : text;
}

/** A value as it is, text as {@link looseJson} reads it. */
export const looseValue = (value: unknown): unknown => (typeof value === 'string' ? looseJson(value) : value);

/** Text that its sender says is JSON; what does not parse stays text. */
export function saidJson(text: string): unknown {
  const value = readExactJson(text);
  return value === undefined ? text : value;
}

/** Text as it is, also where it looks like JSON. */
export const plainText = (text: string): unknown => text;

/** A list of more numbers than this is a vector, which is not stored. */
const NUMBERS_MAX = 16;

/**
 * An attribute's value as JSON has it: maps become objects, bytes base64, integers beyond 2^53 raw JSON numbers with all
 * their digits, numbers that JSON does not have text, and vectors `{dimensions}`.
 */
export function plainValue(value: OtelValue): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return JSON.rawJSON(value.toString());
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (isMap(value)) return plainMap(value);
  return isVector(value) ? { dimensions: value.length } : value.map(plainValue);
}

/** Attributes as an object; a name `__proto__` stays a member like any other. */
export function plainMap(map: OtelMap): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of map) setMember(object, name, plainValue(value));
  return object;
}

/** Sets a member whatever its name. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
}

/** Whether a list is numbers alone, and more of them than anybody reads. */
export function isVector(list: readonly unknown[]): boolean {
  return list.length > NUMBERS_MAX && list.every((item) => typeof item === 'number');
}

const isMap = (value: readonly OtelValue[] | OtelMap): value is OtelMap => value instanceof Map;
