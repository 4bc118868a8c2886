import type { OtelSpan } from '@spandrel/plugin-api';
import type { DialectReader } from '../reading/dialect-reader.js';
import { readSpan } from '../reading/read-span.js';
import { droppedScopes, spanFault, spanRecord } from '../write/span-record.js';
import { Rejections, type Rejection } from '../write/rejections.js';
import { packedPage, type PackedPage } from './packed-texts.js';
import type { OtelLogRecord } from '../decode/otel-records.js';
import { logFault, eventRecord } from '../write/log-event.js';

/** What of the settings spans are read by. */
export interface SpanRules {
  /** Bytes of JSON that a span may have (setting `limits.body_bytes`). */
  readonly spanBytesMax: number;
  /** Setting `otlp.drop_scopes`. */
  readonly dropScopes: readonly string[];
}

/**
 * Spans as they are stored. A text `{"resource": …}` holds for the records behind it, which have `true` in its place; each record is
 * `{"spanId": …, "record": …}`, with the id as it was sent.
 */
export interface SpansRead extends PackedPage {
  readonly rejected: readonly Rejection[];
  /** How many are left out by their scope. */
  readonly dropped: number;
}

/** Spans of a large export as a thread has read them. */
export type SpansPage = SpansRead & {
  /** How many spans each dialect threw over. */
  readonly dialectErrors: Readonly<Record<string, number>>;
};

/** Reads spans from one place on, as {@link packedPage} does. */
export function readSpans(
  spans: Iterable<OtelSpan>,
  from: number,
  dialects: DialectReader,
  { spanBytesMax, dropScopes }: SpanRules,
): SpansRead {
  const isDropped = droppedScopes(dropScopes);
  const rejections = new Rejections();
  let resource: object | undefined;
  let dropped = 0;
  const page = packedPage(spans, from, (span) => {
    const fault = spanFault(span);
    if (fault !== undefined) {
      rejections.add(fault, span.spanId);
      return [];
    }
    if (isDropped(span.scope.name)) {
      dropped++;
      return [];
    }
    const { item, order, traceAttributes, pending } = spanRecord(span, readSpan(span, dialects, spanBytesMax));
    const record = {
      item,
      order,
      traceAttributes: { ...traceAttributes, resource: traceAttributes.resource && true },
      pending,
    };
    const text = JSON.stringify({ spanId: span.spanId, record });
    if (!traceAttributes.resource || traceAttributes.resource.attributes === resource) return [text];
    resource = traceAttributes.resource.attributes;
    return [JSON.stringify({ resource: traceAttributes.resource }), text];
  });
  return { ...page, rejected: rejections.list, dropped };
}

/** Log records about calls of models: a `EventRecord` each. */
export interface LogsPage extends PackedPage {
  readonly rejected: readonly Rejection[];
}

/**
 * Reads log records from one place on, as {@link packedPage} does.
 * @param bytesMax bytes of JSON that one may have (setting `limits.body_bytes`).
 */
export function readLogs(records: Iterable<OtelLogRecord>, from: number, bytesMax: number): LogsPage {
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
