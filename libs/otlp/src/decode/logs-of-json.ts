import type { OtelMap, OtelScope } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { itemsOfJson } from './json-envelope.js';
import { idOf, nanosOf, textOf, type JsonObject } from './json-shapes.js';
import { attributesOf, valueOf } from './json-values.js';
import { eventNameOf } from './log-parts.js';
import type { OtelLogRecord } from './otel-log-record.js';

const NAMES = { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' };

/**
 * The log records of an `ExportLogsServiceRequest` in OTLP's JSON, one after the other as they are asked for.
 * @throws ExportFault when it has another shape, naming the place, or holds more items than allowed.
 */
export const logsOfJson = (text: string, items: ItemBudget): Generator<OtelLogRecord, void, undefined> =>
  itemsOfJson(text, items, NAMES, logRecordOf);

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
