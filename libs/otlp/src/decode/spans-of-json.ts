import type { OtelEvent, OtelLink, OtelMap, OtelScope, OtelSpan, OtelStatus } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { itemsOfJson } from './json-envelope.js';
import { anyNanosOf, countOf, idOf, nanosOf, objectOf, objectsOf, textOf, type JsonObject } from './json-shapes.js';
import { attributesOf } from './json-values.js';
import { droppedOf, parentOf, SPAN_KINDS, STATUS_CODES, UNSET } from './span-parts.js';

const NAMES = { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' };

/**
 * The spans of an `ExportTraceServiceRequest` in OTLP's JSON, one after the other as they are asked for. Ids are as sent,
 * in lower case, which may be none or no hex digits at all.
 * @throws ExportFault when it has another shape, naming the place, or holds more items than allowed.
 */
export const spansOfJson = (text: string, items: ItemBudget): Generator<OtelSpan, void, undefined> =>
  itemsOfJson(text, items, NAMES, spanOf);

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
    kind: SPAN_KINDS[countOf(span, 'kind')] ?? null,
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

function eventOf(event: JsonObject, items: ItemBudget, place: string): OtelEvent {
  return {
    name: textOf(event, 'name'),
    timeUnixNano: nanosOf(event, 'timeUnixNano'),
    attributes: attributesOf(event, items, place),
  };
}

function linkOf(link: JsonObject, items: ItemBudget, place: string): OtelLink {
  return {
    traceId: idOf(link, 'traceId'),
    spanId: idOf(link, 'spanId'),
    attributes: attributesOf(link, items, place),
  };
}

function statusOf(status: JsonObject): OtelStatus {
  const code = STATUS_CODES[countOf(status, 'code')] ?? 'unset';
  const message = textOf(status, 'message');
  return code === 'unset' && message === '' ? UNSET : { code, message };
}
