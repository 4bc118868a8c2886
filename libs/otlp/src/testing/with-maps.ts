import { AttributeMap } from '@spandrel/plugin-api';

/** What a decoder gave, with a `Map` in place of every list of attributes, so that it can be compared with what was sent. */
export function withMaps(value: unknown): unknown {
  if (value instanceof AttributeMap) return new Map(value);
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withMaps(member)]));
}
