import {
  AttributeMap,
  type GrowingAttributes,
  type OtelEvent,
  type OtelLink,
  type OtelMap,
  type OtelScope,
  type OtelSpan,
  type OtelSpanKind,
  type OtelStatus,
} from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { itemsOfProtobuf } from './protobuf-envelope.js';
import { bytes, fixed64, varint, type ProtobufFields } from './protobuf-fields.js';
import { readAttribute } from './protobuf-values.js';
import { droppedOf, parentOf, SPAN_KINDS, STATUS_CODES, UNSET } from './span-parts.js';

/**
 * The spans of an `ExportTraceServiceRequest`, one after the other as they are asked for. Ids are as sent, which may be
 * none or of any length; times may be 0.
 * @throws ExportFault when the bytes are no such message, or hold more items than allowed.
 */
export const spansOfProtobuf = (body: Buffer, items: ItemBudget): Generator<OtelSpan, void, undefined> =>
  itemsOfProtobuf(body, items, readSpan);

function readSpan(fields: ProtobufFields, items: ItemBudget, scope: OtelScope, resource: OtelMap): OtelSpan {
  items.take();
  items.begin();
  const outer = fields.enter();
  let attributes: GrowingAttributes = new AttributeMap();
  let traceId = '';
  let spanId = '';
  let parentSpanId: string | null = null;
  let traceState = '';
  let name = '';
  let kind: OtelSpanKind | null = null;
  let startUnixNano = 0n;
  let endUnixNano = 0n;
  let events: OtelEvent[] | undefined;
  let links: OtelLink[] | undefined;
  let status = UNSET;
  let droppedAttributes = 0;
  let droppedEvents = 0;
  let droppedLinks = 0;
  while (fields.next()) {
    switch (fields.tag) {
      case bytes(1):
        traceId = fields.hex();
        break;
      case bytes(2):
        spanId = fields.hex();
        break;
      case bytes(3):
        traceState = fields.text();
        break;
      case bytes(4):
        parentSpanId = parentOf(fields.hex());
        break;
      case bytes(5):
        name = fields.name();
        break;
      case varint(6):
        kind = SPAN_KINDS[fields.uint32()] ?? null;
        break;
      case fixed64(7):
        startUnixNano = fields.fixed64();
        break;
      case fixed64(8):
        endUnixNano = fields.fixed64();
        break;
      case bytes(9):
        attributes = readAttribute(fields, items, attributes);
        break;
      case varint(10):
        droppedAttributes = fields.uint32();
        break;
      case bytes(11):
        if (items.takeNamed('events')) (events ??= []).push(readEvent(fields, items));
        else fields.skip();
        break;
      case varint(12):
        droppedEvents = fields.uint32();
        break;
      case bytes(13):
        if (items.takeNamed('links')) (links ??= []).push(readLink(fields, items));
        else fields.skip();
        break;
      case varint(14):
        droppedLinks = fields.uint32();
        break;
      case bytes(15):
        status = readStatus(fields, status);
        break;
      default:
        fields.skip();
    }
  }
  fields.leave(outer);
  return {
    traceId,
    spanId,
    parentSpanId,
    traceState,
    name,
    kind,
    startUnixNano,
    endUnixNano,
    attributes,
    events: events ?? [],
    links: links ?? [],
    status,
    dropped: droppedOf(items, droppedAttributes, droppedEvents, droppedLinks),
    scope,
    resource,
  };
}

function readEvent(fields: ProtobufFields, items: ItemBudget): OtelEvent {
  const outer = fields.enter();
  let attributes: GrowingAttributes = new AttributeMap();
  let name = '';
  let timeUnixNano = 0n;
  while (fields.next()) {
    if (fields.tag === fixed64(1)) timeUnixNano = fields.fixed64();
    else if (fields.tag === bytes(2)) name = fields.name();
    else if (fields.tag === bytes(3)) attributes = readAttribute(fields, items, attributes);
    else fields.skip();
  }
  fields.leave(outer);
  return { name, timeUnixNano, attributes };
}

function readLink(fields: ProtobufFields, items: ItemBudget): OtelLink {
  const outer = fields.enter();
  let attributes: GrowingAttributes = new AttributeMap();
  let traceId = '';
  let spanId = '';
  while (fields.next()) {
    if (fields.tag === bytes(1)) traceId = fields.hex();
    else if (fields.tag === bytes(2)) spanId = fields.hex();
    else if (fields.tag === bytes(4)) attributes = readAttribute(fields, items, attributes);
    else fields.skip();
  }
  fields.leave(outer);
  return { traceId, spanId, attributes };
}

function readStatus(fields: ProtobufFields, before: OtelStatus): OtelStatus {
  const outer = fields.enter();
  let { code, message } = before;
  while (fields.next()) {
    if (fields.tag === bytes(2)) message = fields.text();
    else if (fields.tag === varint(3)) code = STATUS_CODES[fields.uint32()] ?? 'unset';
    else fields.skip();
  }
  fields.leave(outer);
  return { code, message };
}
