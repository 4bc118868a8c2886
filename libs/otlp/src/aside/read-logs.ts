import type { OtelLogRecord } from '../decode/otel-log-record.js';
import { logFault, eventRecord } from '../write/log-event.js';
import { Rejections, type Rejection } from '../write/rejections.js';
import { packedPage, type PackedPage } from './packed-texts.js';

/** Log records that tell of calls of models: a `EventRecord` each. */
export interface LogsRead extends PackedPage {
  readonly rejected: readonly Rejection[];
}

/**
 * Reads log records from one place on, as {@link packedPage} does.
 * @param bytesMax bytes of JSON that one may have (setting `limits.body_bytes`).
 */
export function readLogs(records: Iterable<OtelLogRecord>, from: number, bytesMax: number): LogsRead {
  const rejections = new Rejections();
  const page = packedPage(records, from, (record) => {
    const fault = logFault(record);
    if (fault !== undefined) {
      rejections.add(fault, record.spanId);
      return [];
    }
    const text = JSON.stringify(eventRecord(record));
    if (Buffer.byteLength(text) <= bytesMax) return [text];
    rejections.add(`the record takes more than ${bytesMax} bytes (limits.body_bytes)`, record.spanId);
    return [];
  });
  return { ...page, rejected: rejections.list };
}
