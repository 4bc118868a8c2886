import type {
  OtelEvent,
  OtelLink,
  OtelMap,
  OtelScope,
  OtelSpan,
  OtelSpanKind,
  OtelStatus,
  OtelValue,
} from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { bytes, fixed64, varint, ProtobufFields } from './protobuf-fields.js';
import { readAttribute, readValue, readMap } from './protobuf-values.js';
import {
  droppedOf,
  parentOf,
  SPAN_KINDS,
  STATUS_CODES,
  UNSET,
  EMPTY_MAP,
  NO_SCOPE,
  eventNameOf,
  type OtelLogRecord,
} from './otel-records.js';

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
  const attributes = new Map<string, OtelValue>();
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
        name = fields.text();
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
        readAttribute(fields, items, attributes);
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
  const attributes = new Map<string, OtelValue>();
  let name = '';
  let timeUnixNano = 0n;
  while (fields.next()) {
    if (fields.tag === fixed64(1)) timeUnixNano = fields.fixed64();
    else if (fields.tag === bytes(2)) name = fields.text();
    else if (fields.tag === bytes(3)) readAttribute(fields, items, attributes);
    else fields.skip();
  }
  fields.leave(outer);
  return { name, timeUnixNano, attributes };
}

function readLink(fields: ProtobufFields, items: ItemBudget): OtelLink {
  const outer = fields.enter();
  const attributes = new Map<string, OtelValue>();
  let traceId = '';
  let spanId = '';
  while (fields.next()) {
    if (fields.tag === bytes(1)) traceId = fields.hex();
    else if (fields.tag === bytes(2)) spanId = fields.hex();
    else if (fields.tag === bytes(4)) readAttribute(fields, items, attributes);
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

/**
 * The log records of an `ExportLogsServiceRequest`, one after the other as they are asked for.
 * @throws ExportFault when the bytes are no such message, or hold more items than allowed.
 */
export const logsOfProtobuf = (body: Buffer, items: ItemBudget): Generator<OtelLogRecord, void, undefined> =>
  itemsOfProtobuf(body, items, readLogRecord);

function readLogRecord(fields: ProtobufFields, items: ItemBudget, scope: OtelScope, resource: OtelMap): OtelLogRecord {
  items.take();
  items.begin();
  const outer = fields.enter();
  const attributes = new Map<string, OtelValue>();
  let eventName = '';
  let traceId = '';
  let spanId = '';
  let time = 0n;
  let observed = 0n;
  let body: OtelValue = null;
  while (fields.next()) {
    if (fields.tag === fixed64(1)) time = fields.fixed64();
    else if (fields.tag === fixed64(11)) observed = fields.fixed64();
    else if (fields.tag === bytes(5)) body = readValue(fields, items, 0, body);
    else if (fields.tag === bytes(6)) readAttribute(fields, items, attributes);
    else if (fields.tag === bytes(9)) traceId = fields.hex();
    else if (fields.tag === bytes(10)) spanId = fields.hex();
    else if (fields.tag === bytes(12)) eventName = fields.text();
    else fields.skip();
  }
  fields.leave(outer);
  return {
    eventName: eventNameOf(eventName, attributes),
    traceId,
    spanId,
    timeUnixNano: time === 0n ? observed : time,
    attributes,
    body,
    scope,
    resource,
  };
}

/**
 * How many data points each metric of an `ExportMetricsServiceRequest` has; what they say is not read.
 * @throws ExportFault when the bytes are no such message, or hold more items than allowed.
 */
export const pointsOfProtobuf = (body: Buffer, items: ItemBudget): Generator<number, void, undefined> =>
  itemsOfProtobuf(body, items, readMetric);

/** Fields of `Metric` that hold points: gauge, sum, histogram, exponential histogram, summary. */
const DATA: ReadonlySet<number> = new Set([5, 7, 9, 10, 11].map(bytes));

function readMetric(fields: ProtobufFields, items: ItemBudget): number {
  items.take();
  const outer = fields.enter();
  let points = 0;
  while (fields.next()) {
    if (DATA.has(fields.tag)) points += countPoints(fields, items);
    else fields.skip();
  }
  fields.leave(outer);
  return points;
}

function countPoints(fields: ProtobufFields, items: ItemBudget): number {
  const outer = fields.enter();
  let points = 0;
  while (fields.next()) {
    if (fields.tag === bytes(1)) {
      items.take();
      points++;
    }
    fields.skip();
  }
  fields.leave(outer);
  return points;
}

/** Reads one span, log record or metric; the field that {@link ProtobufFields.next} came to is its message. */
type ReadItem<Item> = (fields: ProtobufFields, items: ItemBudget, scope: OtelScope, resource: OtelMap) => Item;

/**
 * What an export request holds, one after the other as they are asked for, so that a long export holds up nobody. The
 * three signals of OTLP wrap their items in one way: a request of resources, which hold scopes, which hold items.
 * @throws ExportFault when the bytes are no such message, or hold more items than allowed.
 */
function* itemsOfProtobuf<Item>(
  body: Buffer,
  items: ItemBudget,
  read: ReadItem<Item>,
): Generator<Item, void, undefined> {
  const fields = new ProtobufFields(body);
  for (const { scope, resource } of scopesOf(fields, items)) {
    while (fields.next()) {
      if (fields.tag === bytes(2)) yield read(fields, items, scope, resource);
      else {
        items.takeOther();
        fields.skip();
      }
    }
  }
}

/** The scopes of a request, each with its message open: what it holds is read before the next one is asked for. */
function* scopesOf(
  fields: ProtobufFields,
  items: ItemBudget,
): Generator<{ scope: OtelScope; resource: OtelMap }, void, undefined> {
  while (fields.next()) {
    items.takeOther();
    if (fields.tag !== bytes(1)) fields.skip();
    else yield* scopesOfResource(fields, items);
  }
}

function* scopesOfResource(
  fields: ProtobufFields,
  items: ItemBudget,
): Generator<{ scope: OtelScope; resource: OtelMap }, void, undefined> {
  const outer = fields.enter();
  items.begin();
  const resource: OtelMap =
    ahead(fields, items, (before?: Map<string, OtelValue>) => readMap(fields, items, 0, before)) ?? EMPTY_MAP;
  while (fields.next()) {
    items.takeOther();
    if (fields.tag !== bytes(2)) fields.skip();
    else {
      const outerOfScope = fields.enter();
      const scope = ahead(fields, items, (before?: OtelScope) => readScope(fields, before)) ?? NO_SCOPE;
      yield { scope, resource };
      fields.leave(outerOfScope);
    }
  }
  fields.leave(outer);
}

/**
 * What field 1 of the open message holds, wherever it stands: what comes before it may depend on it. Protobuf merges a
 * message that comes more than once.
 */
function ahead<Part>(fields: ProtobufFields, items: ItemBudget, read: (before?: Part) => Part): Part | undefined {
  const start = fields.place;
  let part: Part | undefined;
  while (fields.next()) {
    if (fields.tag === bytes(1)) part = read(part);
    else {
      items.takeOther();
      fields.skip();
    }
  }
  fields.goTo(start);
  return part;
}

function readScope(fields: ProtobufFields, before: OtelScope = NO_SCOPE): OtelScope {
  const outer = fields.enter();
  let { name, version } = before;
  while (fields.next()) {
    if (fields.tag === bytes(1)) name = fields.text();
    else if (fields.tag === bytes(2)) version = fields.text();
    else fields.skip();
  }
  fields.leave(outer);
  return { name, version };
}
