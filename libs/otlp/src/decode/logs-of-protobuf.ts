import type { OtelMap, OtelScope, OtelValue } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';
import { eventNameOf } from './log-parts.js';
import type { OtelLogRecord } from './otel-log-record.js';
import { itemsOfProtobuf } from './protobuf-envelope.js';
import { bytes, fixed64, type ProtobufFields } from './protobuf-fields.js';
import { readAttribute, readValue } from './protobuf-values.js';

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
    else if (fields.tag === bytes(12)) eventName = fields.name();
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
