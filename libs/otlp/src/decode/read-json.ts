import type { OtelEvent, OtelLink, OtelMap, OtelScope, OtelSpan, OtelStatus } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import {
  anyNanosOf,
  camelName,
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
  SPAN_KIND_NAMES,
  STATUS_CODES,
  STATUS_CODE_NAMES,
  UNSET,
  EMPTY_MAP,
  NO_SCOPE,
  eventNameOf,
  type OtelLogRecord,
} from './otel-records.js';
import { JsonPieces } from './json-pieces.js';

const SPAN_NAMES = { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' };

/**
 * The spans of an `ExportTraceServiceRequest` in OTLP's JSON, one after the other as they are asked for. Ids are as sent,
 * in lower case, which may be none or no hex digits at all.
 * @throws ExportFault when it has another shape, naming the place, or holds more items than allowed.
 */
export const spansOfJson = (text: string, items: ItemBudget): Generator<OtelSpan, void, undefined> =>
  itemsOfJson(text, items, SPAN_NAMES, spanOf);

function spanOf(sent: JsonObject, items: ItemBudget, scope: OtelScope, resource: OtelMap, place: string): OtelSpan {
  const span = withCamelNames(sent);
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
    kind: enumOf(span, 'kind', SPAN_KINDS, SPAN_KIND_NAMES) ?? null,
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
  const code = enumOf(status, 'code', STATUS_CODES, STATUS_CODE_NAMES) ?? 'unset';
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
  sent: JsonObject,
  items: ItemBudget,
  scope: OtelScope,
  resource: OtelMap,
  place: string,
): OtelLogRecord {
  const record = withCamelNames(sent);
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
  const named = withCamelNames(metric);
  let points = 0;
  for (const kind of DATA) {
    const found = objectsOf(withCamelNames(objectOf(named, kind, place)), 'dataPoints', `${place}.${kind}`);
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
  const json = new JsonPieces(text, items);
  for (const sent of json.members('the body')) {
    const member = camelName(sent);
    if (member === names.resources) {
      for (const r of json.elements(member)) yield* itemsOfResource(json, items, names, make, `${member}[${r}]`);
    } else if (TOP_MEMBERS.includes(member)) {
      throw malformed(`it holds ${member}, which belong to another path; here it must hold ${names.resources}`);
    } else json.ignore(member);
  }
  json.end();
}

function* itemsOfResource<Item>(
  json: JsonPieces,
  items: ItemBudget,
  names: EnvelopeNames,
  make: MakeItem<Item>,
  place: string,
): Generator<Item, void, undefined> {
  items.takeOther();
  let resource: OtelMap | undefined;
  for (const member of json.members(place)) {
    if (member === 'resource') resource = resourceOf(json.value(`${place}.resource`), items, place);
    else if (camelName(member) === names.scopes) {
      resource ??= ahead(json, member, place, 'resource', (value) => resourceOf(value, items, place)) ?? EMPTY_MAP;
      const list = `${place}.${member}`;
      for (const s of json.elements(list)) yield* itemsOfScope(json, items, names, make, resource, `${list}[${s}]`);
    } else json.ignore(`${place}.${member}`);
  }
}

function* itemsOfScope<Item>(
  json: JsonPieces,
  items: ItemBudget,
  names: EnvelopeNames,
  make: MakeItem<Item>,
  resource: OtelMap,
  place: string,
): Generator<Item, void, undefined> {
  items.takeOther();
  let scope: OtelScope | undefined;
  for (const member of json.members(place)) {
    if (member === 'scope') scope = scopeOf(json.value(`${place}.scope`), place);
    else if (camelName(member) === names.items) {
      scope ??= ahead(json, member, place, 'scope', (value) => scopeOf(value, place)) ?? NO_SCOPE;
      const list = `${place}.${member}`;
      for (const n of json.elements(list)) {
        const name = `${list}[${n}]`;
        yield make(objectOr(json.value(name), name), items, scope, resource, name);
      }
    } else json.ignore(`${place}.${member}`);
  }
}

/**
 * A member that stands behind the one whose value comes next, in the same object, although it is needed before: exporters
 * write it first, JSON knows no order.
 */
function ahead<Part>(
  json: JsonPieces,
  current: string,
  place: string,
  wanted: string,
  read: (value: unknown) => Part,
): Part | undefined {
  const start = json.place;
  let part: Part | undefined;
  for (const member of json.membersAfter(current, place)) {
    if (member === wanted) part = read(json.value(`${place}.${wanted}`));
    else json.skip(`${place}.${member}`);
  }
  json.goTo(start);
  return part;
}

function resourceOf(value: unknown, items: ItemBudget, place: string): OtelMap {
  items.begin();
  return attributesOf(objectOr(value, `${place}.resource`), items, `${place}.resource`);
}

function scopeOf(value: unknown, place: string): OtelScope {
  const scope = objectOr(value, `${place}.scope`);
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
