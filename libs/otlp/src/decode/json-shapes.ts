import { ExportFault } from './export-fault.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/**
 * A member that is a list of objects; none when it is absent or `null`.
 * @param place of the object, for the message: `resourceSpans[0]`.
 * @throws ExportFault when it is something else.
 */
export function objectsOf(object: JsonObject, member: string, place: string): readonly JsonObject[] {
  const value = object[member];
  if (value === undefined || value === null) return [];
  const name = place === '' ? member : `${place}.${member}`;
  if (!Array.isArray(value)) throw malformed(`${name} must be a list`);
  value.forEach((element, index) => {
    if (!isObject(element)) throw malformed(`${name}[${index}] must be an object`);
  });
  return value as JsonObject[];
}

/** A member that is an object; empty when it is absent or `null`. @throws ExportFault when it is something else. */
export function objectOf(object: JsonObject, member: string, place: string): JsonObject {
  const value = object[member];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw malformed(`${place}.${member} must be an object`);
  return value;
}

/** A member that is a text, otherwise an empty one. */
export const textOf = (object: JsonObject, member: string): string => {
  const value = object[member];
  return typeof value === 'string' ? value : '';
};

/** A small number, written as such or as text; 0 for anything else. */
export function countOf(object: JsonObject, member: string): number {
  const value = Number(integerOf(object[member]) ?? 0);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Text of more digits is no number that anybody means. */
const INTEGER = /^-?\d{1,30}$/;

/** An integer, written as text or as a number of any length; `null` for anything else. */
export function integerOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : null;
  const digits = JSON.isRawJSON(value) ? value.rawJSON : value;
  return typeof digits === 'string' && INTEGER.test(digits) ? BigInt(digits) : null;
}

/** An id in lower case; empty when it is absent or no text. */
export const idOf = (object: JsonObject, member: string): string => textOf(object, member).toLowerCase();

/** Nanoseconds since 1970, also such as 64 bits do not hold; 0 where none are told. */
export const anyNanosOf = (object: JsonObject, member: string): bigint => integerOf(object[member]) ?? 0n;

/** Nanoseconds since 1970; 0 for a time that is none. */
export function nanosOf(object: JsonObject, member: string): bigint {
  const nanos = anyNanosOf(object, member);
  return BigInt.asUintN(64, nanos) === nanos ? nanos : 0n;
}

export const malformed = (what: string): ExportFault =>
  new ExportFault('malformed', `the body is no OTLP JSON: ${what}`);
