import type { OtelEvent, OtelLink, OtelMap, OtelScope, OtelSpan, OtelStatus } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { itemsOfJson } from './json-envelope.js';
import { anyNanosOf, countOf, idOf, nanosOf, objectOf, objectsOf, textOf, type JsonObject } from './json-shapes.js';
import { attributesOf } from './json-values.js';
import { parentOf, SPAN_KINDS, STATUS_CODES, UNSET } from './span-parts.js';

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
  return {
    traceId: idOf(span, 'traceId'),
    spanId: idOf(span, 'spanId'),
    parentSpanId: parentOf(idOf(span, 'parentSpanId')),
    traceState: textOf(span, 'traceState'),
    name: textOf(span, 'name'),
    kind: SPAN_KINDS[countOf(span, 'kind')] ?? null,
    startUnixNano: anyNanosOf(span, 'startTimeUnixNano'),
    endUnixNano: anyNanosOf(span, 'endTimeUnixNano'),
    attributes: attributesOf(span, items, place),
    events: objectsOf(span, 'events', place).map((event, n) => eventOf(event, items, `${place}.events[${n}]`)),
    links: objectsOf(span, 'links', place).map((link, n) => linkOf(link, items, `${place}.links[${n}]`)),
    status: statusOf(objectOf(span, 'status', place)),
    dropped: {
      attributes: countOf(span, 'droppedAttributesCount'),
      events: countOf(span, 'droppedEventsCount'),
      links: countOf(span, 'droppedLinksCount'),
    },
    scope,
    resource,
  };
}

function eventOf(event: JsonObject, items: ItemBudget, place: string): OtelEvent {
  items.take();
  return {
    name: textOf(event, 'name'),
    timeUnixNano: nanosOf(event, 'timeUnixNano'),
    attributes: attributesOf(event, items, place),
  };
}

function linkOf(link: JsonObject, items: ItemBudget, place: string): OtelLink {
  items.take();
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
