import {
  AttributeMap,
  withAttribute,
  type GrowingAttributes,
  type OtelMap,
  type OtelValue,
} from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { integerOf, isObject, malformed, objectsOf, textOf, type JsonObject } from './json-shapes.js';
import { VALUE_DEPTH_MAX } from './value-depth.js';

/**
 * The attributes of an object, member `attributes` unless told otherwise.
 * @param place of the object, for the message of a fault.
 */
export function attributesOf(
  object: JsonObject,
  items: ItemBudget,
  place: string,
  depth = 0,
  member = 'attributes',
): OtelMap {
  // A value that is a map is a `Map`, which tells it from a list.
  let attributes: GrowingAttributes = depth === 0 ? new AttributeMap() : new Map<string, OtelValue>();
  for (const attribute of objectsOf(object, member, place)) {
    if (!items.takeNamed('attributes')) continue;
    attributes = withAttribute(attributes, textOf(attribute, 'key'), valueOf(attribute['value'], items, place, depth));
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
        return typeof content === 'string' ? content : null;
      case 'boolValue':
        return typeof content === 'boolean' ? content : null;
      case 'intValue':
        return intOf(content);
      case 'doubleValue':
        return doubleOf(content);
      case 'bytesValue':
        return typeof content === 'string' ? new Uint8Array(Buffer.from(content, 'base64')) : null;
      case 'arrayValue':
        return isObject(content) ? listOf(content, items, place, depth + 1) : null;
      case 'kvlistValue':
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
