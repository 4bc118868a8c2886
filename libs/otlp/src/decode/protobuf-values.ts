import type { OtelValue } from '@spandrel/plugin-api';
import { type ItemBudget, VALUE_DEPTH_MAX } from './item-budget.js';
import { bytes, fixed64, varint, type ProtobufFields } from './protobuf-fields.js';

/** Reads a `KeyValue` message. @param map gets it; of a name that comes again the last value counts. */
export function readAttribute(fields: ProtobufFields, items: ItemBudget, map: Map<string, OtelValue>, depth = 0): void {
  if (!items.takeNamed('attributes')) {
    fields.skip();
    return;
  }
  const outer = fields.enter();
  let name = '';
  let value: OtelValue = null;
  while (fields.next()) {
    if (fields.tag === bytes(1)) name = fields.text();
    else if (fields.tag === bytes(2)) value = readValue(fields, items, depth, value);
    else fields.skip();
  }
  fields.leave(outer);
  map.set(name, value);
}

/**
 * Reads an `AnyValue`.
 * @param before what the same field held when it came before: protobuf merges both.
 * @returns `null` when it holds nothing, or nothing that is known.
 */
export function readValue(
  fields: ProtobufFields,
  items: ItemBudget,
  depth: number,
  before: OtelValue = null,
): OtelValue {
  if (depth > VALUE_DEPTH_MAX) throw fields.malformed(`a value nested deeper than ${VALUE_DEPTH_MAX}`);
  const outer = fields.enter();
  let value = before;
  while (fields.next()) {
    switch (fields.tag) {
      case bytes(1):
        value = fields.text();
        break;
      case varint(2):
        value = fields.bool();
        break;
      case varint(3):
        value = fields.int64();
        break;
      case fixed64(4):
        value = fields.double();
        break;
      case bytes(5):
        value = readList(fields, items, depth + 1, Array.isArray(value) ? (value as OtelValue[]) : []);
        break;
      case bytes(6):
        value = readMap(fields, items, depth + 1, value instanceof Map ? (value as Map<string, OtelValue>) : undefined);
        break;
      case bytes(7):
        value = fields.bytes();
        break;
      default:
        fields.skip();
    }
  }
  fields.leave(outer);
  return value;
}

function readList(fields: ProtobufFields, items: ItemBudget, depth: number, values: OtelValue[]): OtelValue[] {
  const outer = fields.enter();
  while (fields.next()) {
    if (fields.tag === bytes(1)) {
      items.take();
      values.push(readValue(fields, items, depth));
    } else fields.skip();
  }
  fields.leave(outer);
  return values;
}

/**
 * Reads a message whose field 1 are `KeyValue`s: a `KeyValueList`, a `Resource`.
 * @param map gets them.
 */
export function readMap(
  fields: ProtobufFields,
  items: ItemBudget,
  depth: number,
  map: Map<string, OtelValue> = new Map(),
): Map<string, OtelValue> {
  const outer = fields.enter();
  while (fields.next()) {
    if (fields.tag === bytes(1)) readAttribute(fields, items, map, depth);
    else fields.skip();
  }
  fields.leave(outer);
  return map;
}
