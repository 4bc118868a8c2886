import { setMember, type OtelMap, type OtelValue } from '@spandrel/plugin-api';
import { ExportFault, type ItemBudget, VALUE_DEPTH_MAX } from './item-budget.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** An object whose members have the names of OTLP's JSON: those in snake_case, as some printers write them, renamed. */
export function withCamelNames(object: JsonObject): JsonObject {
  for (const name in object) if (name.includes('_')) return renamed(object);
  return object;
}

function renamed(object: JsonObject): JsonObject {
  const camel: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const own = camelName(name);
    if (own === name || !Object.hasOwn(object, own)) setMember(camel, own, value);
  }
  return camel;
}

/** `traceId` of `trace_id`. */
const camelName = (name: string): string =>
  name.includes('_') ? name.replaceAll(/_([a-z])/g, (_joint, letter: string) => letter.toUpperCase()) : name;

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

/** An enum's value by its number, or by its name with the prefix or without: `SPAN_KIND_CLIENT`; `undefined` for none. */
export function enumOf<Value>(object: JsonObject, member: string, values: readonly Value[], prefix: string) {
  const value = object[member];
  if (typeof value !== 'string' || /^\d/.test(value)) return values[countOf(object, member)];
  const name = value.toLowerCase();
  return values.find((each) => each === name || `${prefix}${String(each)}` === name);
}

/** Text of more digits is no number that anybody means. */
const INTEGER = /^-?\d{1,30}$/;

/** An integer, written as text or as a number of any length; `null` for anything else. */
function integerOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : null;
  const digits = JSON.isRawJSON(value) ? value.rawJSON : value;
  return typeof digits === 'string' && INTEGER.test(digits) ? BigInt(digits) : null;
}

/** An id in lower case; empty when it is absent or no text. */
export const idOf = (object: JsonObject, member: string): string => textOf(object, member).toLowerCase();

/** Nanoseconds since 1970, also such as 64 bits do not hold; 0 where none are given. */
export const anyNanosOf = (object: JsonObject, member: string): bigint => integerOf(object[member]) ?? 0n;

/** Nanoseconds since 1970; 0 for a time that is none. */
export function nanosOf(object: JsonObject, member: string): bigint {
  const nanos = anyNanosOf(object, member);
  return BigInt.asUintN(64, nanos) === nanos ? nanos : 0n;
}

export const malformed = (what: string): ExportFault =>
  new ExportFault('malformed', `the body is no OTLP JSON: ${what}`);

/**
 * The attributes of an object, member `attributes` unless another is named.
 * @param place of the object, for the message of a fault.
 */
export function attributesOf(
  object: JsonObject,
  items: ItemBudget,
  place: string,
  depth = 0,
  member = 'attributes',
): OtelMap {
  const attributes = new Map<string, OtelValue>();
  for (const attribute of objectsOf(object, member, place)) {
    if (!items.takeNamed('attributes')) continue;
    attributes.set(textOf(attribute, 'key'), valueOf(attribute['value'], items, place, depth));
  }
  return attributes;
}

/** An `AnyValue`; `null` when it holds nothing, or nothing that is known. */
export function valueOf(value: unknown, items: ItemBudget, place: string, depth: number): OtelValue {
  if (depth > VALUE_DEPTH_MAX) throw malformed(`a value of ${place} is nested deeper than ${VALUE_DEPTH_MAX}`);
  if (!isObject(value)) return null;
  for (const member in value) {
    const content = value[member];
    if (content === null) continue;
    switch (member) {
      case 'stringValue':
      case 'string_value':
        return typeof content === 'string' ? content : null;
      case 'boolValue':
      case 'bool_value':
        return typeof content === 'boolean' ? content : null;
      case 'intValue':
      case 'int_value':
        return intOf(content);
      case 'doubleValue':
      case 'double_value':
        return doubleOf(content);
      case 'bytesValue':
      case 'bytes_value':
        return typeof content === 'string' ? new Uint8Array(Buffer.from(content, 'base64')) : null;
      case 'arrayValue':
      case 'array_value':
        return isObject(content) ? listOf(content, items, place, depth + 1) : null;
      case 'kvlistValue':
      case 'kvlist_value':
        return isObject(content) ? attributesOf(content, items, place, depth + 1, 'values') : null;
    }
  }
  return null;
}

function listOf(list: JsonObject, items: ItemBudget, place: string, depth: number): OtelValue {
  const values = list['values'] ?? [];
  if (!Array.isArray(values)) throw malformed(`values of an arrayValue in ${place} must be a list`);
  return values.map((value) => {
    items.take();
    return valueOf(value, items, place, depth);
  });
}

function intOf(content: unknown): OtelValue {
  const integer = integerOf(content);
  if (integer === null) return null;
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

/** Protobuf's JSON writes what JSON has no number for as text. */
function doubleOf(content: unknown): OtelValue {
  if (typeof content === 'number') return content;
  if (JSON.isRawJSON(content)) return Number(content.rawJSON);
  return content === 'NaN' || content === 'Infinity' || content === '-Infinity' ? Number(content) : null;
}
