import { endOfString, JsonSyntaxError, readExactJson } from '@spandrel/contract';
import type { OtelEvent, OtelLink, OtelMap, OtelScope, OtelSpan, OtelStatus } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import {
  anyNanosOf,
  countOf,
  enumOf,
  idOf,
  nanosOf,
  objectOf,
  objectsOf,
  textOf,
  type JsonObject,
  isObject,
  malformed,
  attributesOf,
  valueOf,
  withCamelNames,
} from './json-values.js';
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

const SPAN_NAMES = { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' };

/**
 * The spans of an `ExportTraceServiceRequest` in OTLP's JSON, one after the other as they are asked for. Ids are as sent,
 * in lower case, which may be none or no hex digits at all.
 * @throws ExportFault when it has another shape, naming the place, or holds more items than allowed.
 */
export const spansOfJson = (text: string, items: ItemBudget): Generator<OtelSpan, void, undefined> =>
  itemsOfJson(text, items, SPAN_NAMES, spanOf);

function spanOf(span: JsonObject, items: ItemBudget, scope: OtelScope, resource: OtelMap, place: string): OtelSpan {
  items.take();
  items.begin();
  const attributes = attributesOf(span, items, place);
  const events = objectsOf(span, 'events', place).flatMap((event, n) =>
    items.takeNamed('events') ? [eventOf(event, items, `${place}.events[${n}]`)] : [],
  );
  const links = objectsOf(span, 'links', place).flatMap((link, n) =>
    items.takeNamed('links') ? [linkOf(link, items, `${place}.links[${n}]`)] : [],
  );
  return {
    traceId: idOf(span, 'traceId'),
    spanId: idOf(span, 'spanId'),
    parentSpanId: parentOf(idOf(span, 'parentSpanId')),
    traceState: textOf(span, 'traceState'),
    name: textOf(span, 'name'),
    kind: enumOf(span, 'kind', SPAN_KINDS, 'span_kind_') ?? null,
    startUnixNano: anyNanosOf(span, 'startTimeUnixNano'),
    endUnixNano: anyNanosOf(span, 'endTimeUnixNano'),
    attributes,
    events,
    links,
    status: statusOf(objectOf(span, 'status', place)),
    dropped: droppedOf(
      items,
      countOf(span, 'droppedAttributesCount'),
      countOf(span, 'droppedEventsCount'),
      countOf(span, 'droppedLinksCount'),
    ),
    scope,
    resource,
  };
}

function eventOf(sent: JsonObject, items: ItemBudget, place: string): OtelEvent {
  const event = withCamelNames(sent);
  return {
    name: textOf(event, 'name'),
    timeUnixNano: nanosOf(event, 'timeUnixNano'),
    attributes: attributesOf(event, items, place),
  };
}

function linkOf(sent: JsonObject, items: ItemBudget, place: string): OtelLink {
  const link = withCamelNames(sent);
  return {
    traceId: idOf(link, 'traceId'),
    spanId: idOf(link, 'spanId'),
    attributes: attributesOf(link, items, place),
  };
}

function statusOf(status: JsonObject): OtelStatus {
  const code = enumOf(status, 'code', STATUS_CODES, 'status_code_') ?? 'unset';
  const message = textOf(status, 'message');
  return code === 'unset' && message === '' ? UNSET : { code, message };
}

const LOG_NAMES = { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' };

/**
 * The log records of an `ExportLogsServiceRequest` in OTLP's JSON, one after the other as they are asked for.
 * @throws ExportFault when it has another shape, naming the place, or holds more items than allowed.
 */
export const logsOfJson = (text: string, items: ItemBudget): Generator<OtelLogRecord, void, undefined> =>
  itemsOfJson(text, items, LOG_NAMES, logRecordOf);

function logRecordOf(
  record: JsonObject,
  items: ItemBudget,
  scope: OtelScope,
  resource: OtelMap,
  place: string,
): OtelLogRecord {
  items.take();
  items.begin();
  const attributes = attributesOf(record, items, place);
  return {
    eventName: eventNameOf(textOf(record, 'eventName'), attributes),
    traceId: idOf(record, 'traceId'),
    spanId: idOf(record, 'spanId'),
    timeUnixNano: nanosOf(record, 'timeUnixNano') || nanosOf(record, 'observedTimeUnixNano'),
    attributes,
    body: valueOf(record['body'], items, place, 0),
    scope,
    resource,
  };
}

const METRIC_NAMES = { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics' };

const DATA = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];

/**
 * How many data points each metric of an `ExportMetricsServiceRequest` in OTLP's JSON has; what they say is not read.
 * @throws ExportFault when it has another shape, naming the place, or holds more items than allowed.
 */
export const pointsOfJson = (text: string, items: ItemBudget): Generator<number, void, undefined> =>
  itemsOfJson(text, items, METRIC_NAMES, (metric, _items, _scope, _resource, place) =>
    countPoints(metric, items, place),
  );

function countPoints(metric: JsonObject, items: ItemBudget, place: string): number {
  items.take();
  let points = 0;
  for (const kind of DATA) {
    const found = objectsOf(withCamelNames(objectOf(metric, kind, place)), 'dataPoints', `${place}.${kind}`);
    for (let taken = 0; taken < found.length; taken++) items.take();
    points += found.length;
  }
  return points;
}

/** What the members of one signal are called: `resourceSpans`, `scopeSpans`, `spans`. */
interface EnvelopeNames {
  readonly resources: string;
  readonly scopes: string;
  readonly items: string;
}

type MakeItem<Item> = (
  object: JsonObject,
  items: ItemBudget,
  scope: OtelScope,
  resource: OtelMap,
  place: string,
) => Item;

const TOP_MEMBERS = ['resourceSpans', 'resourceLogs', 'resourceMetrics'];

/** Levels of an export: values of the greatest depth, written with every wrapper, and what is around them. */
const LEVELS_MAX = 400;

/**
 * What an export request in OTLP's JSON holds, one after the other as they are asked for, as `itemsOfProtobuf` does.
 * Members that nobody knows are passed over.
 * @throws ExportFault when the text is no such JSON, naming the place, or holds more items than allowed.
 */
function* itemsOfJson<Item>(
  text: string,
  items: ItemBudget,
  names: EnvelopeNames,
  make: MakeItem<Item>,
): Generator<Item, void, undefined> {
  const body = withCamelNames(objectOr(parsed(text, items), 'the body'));
  const other = TOP_MEMBERS.find((member) => member !== names.resources && body[member] !== undefined);
  if (other !== undefined) {
    throw malformed(`it holds ${other}, which belong to another path; here it must hold ${names.resources}`);
  }
  for (const [ofResource, place] of objectsIn(body, names.resources, '')) {
    items.takeOther();
    const resource = ofResource['resource'] === undefined ? EMPTY_MAP : resourceOf(ofResource, items, place);
    for (const [ofScope, scopePlace] of objectsIn(ofResource, names.scopes, place)) {
      items.takeOther();
      const scope = scopeOf(objectOf(ofScope, 'scope', scopePlace));
      for (const [item, name] of objectsIn(ofScope, names.items, scopePlace)) {
        yield make(item, items, scope, resource, name);
      }
    }
  }
}

/** @throws ExportFault for what is no JSON, nests too deeply, or has more values than items of so many have. */
function parsed(text: string, items: ItemBudget): unknown {
  assertSize(text, items);
  try {
    return readExactJson(text);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? malformed(error.message) : error;
  }
}

/** Looks at brackets and commas alone, before any of it becomes objects, which take many times the memory of the text. */
function assertSize(text: string, items: ItemBudget): void {
  const { valuesMax } = items;
  let values = 0;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isOpening = code === 0x5b || code === 0x7b;
    if (code === 0x22) {
      at = endOfString(text, at);
      // What is wrong with it the parser says.
      if (at === -1) return;
    } else if (code === 0x5d || code === 0x7d) level--;
    if (isOpening && ++level > LEVELS_MAX) throw malformed(`it nests deeper than ${LEVELS_MAX} levels`);
    if ((isOpening || code === 0x2c) && ++values > valuesMax) throw items.tooMany();
  }
}

/** The objects of a list with their places; `null` stands for an object without members. */
function* objectsIn(object: JsonObject, member: string, place: string): Generator<[object: JsonObject, place: string]> {
  const list = object[member] ?? [];
  const name = place === '' ? member : `${place}.${member}`;
  if (!Array.isArray(list)) throw malformed(`${name} must be a list`);
  for (const [n, value] of list.entries()) {
    yield [withCamelNames(objectOr(value, `${name}[${n}]`)), `${name}[${n}]`];
  }
}

function resourceOf(ofResource: JsonObject, items: ItemBudget, place: string): OtelMap {
  items.begin();
  return attributesOf(objectOf(ofResource, 'resource', place), items, `${place}.resource`);
}

function scopeOf(scope: JsonObject): OtelScope {
  const name = textOf(scope, 'name');
  const version = textOf(scope, 'version');
  return name === '' && version === '' ? NO_SCOPE : { name, version };
}

/** `null` stands for an object without members. */
function objectOr(value: unknown, name: string): JsonObject {
  if (value === null) return {};
  if (!isObject(value)) throw malformed(`${name} must be an object`);
  return value;
}
