import type { OtelMap, OtelValue } from './otel-span.js';

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
