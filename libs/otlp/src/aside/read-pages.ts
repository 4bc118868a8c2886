import type { OtelSpan } from '@spandrel/plugin-api';
import { ExportFault, ItemBudget } from '../decode/item-budget.js';
import { logsOfJson, pointsOfJson, spansOfJson } from '../decode/read-json.js';
import { logsOfProtobuf, pointsOfProtobuf, spansOfProtobuf } from '../decode/read-protobuf.js';
import type { OtelLogRecord } from '../decode/otel-records.js';
import type { OtlpEncoding } from '../http/otlp-protocol.js';
import type { DialectReader } from '../reading/dialect-reader.js';
import { readSpan } from '../reading/read-span.js';
import { droppedScopes, spanFault, spanRecord } from '../write/span-record.js';
import { Rejections, type Rejection } from '../write/rejections.js';
import { logFault, eventRecord } from '../write/log-event.js';

export interface ExportBody {
  readonly bytes: SharedArrayBuffer;
  /** The first item that is wanted. */
  readonly from: number;
  readonly encoding: OtlpEncoding;
  /** Setting `otlp.items_max`. */
  readonly itemsMax: number;
  /** Setting `limits.body_values`. */
  readonly ownMax: number;
}

/** What was read, or why it could not be. */
export type Reading<Read> = (Read | { readonly fault: Pick<ExportFault, 'kind' | 'message'> }) & {
  /** Which signal it is of, where it is none of what was asked for. */
  readonly other?: 'logs' | 'metrics' | undefined;
};

/** Part of an export as JSON texts, one a line, in memory that threads share. */
export interface ReadPage {
  readonly lines: SharedArrayBuffer;
  /** Items of the export; right where it was read from its beginning. */
  readonly count: number;
  /** The first item that is not in this page; `null` when this is the last one. */
  readonly next: number | null;
}

export interface SpanRules {
  /** Bytes of JSON that a span may have (setting `limits.body_bytes`). */
  readonly spanBytesMax: number;
  /** Setting `otlp.drop_scopes`. */
  readonly dropScopes: readonly string[];
}

/**
 * Spans as they are stored. A line `{"resource": …}` holds for the records behind it, which have `true` in its place; each record is
 * `{"spanId": …, "record": …}`, with the id as it was sent.
 */
export interface SpansPage extends ReadPage {
  readonly rejected: readonly Rejection[];
  /** How many are left out by their scope. */
  readonly dropped: number;
  /** How many spans each dialect threw over, where a thread has read them. */
  readonly dialectErrors?: Readonly<Record<string, number>>;
}

/** Log records about calls of models: a `EventRecord` each. */
export interface LogsPage extends ReadPage {
  readonly rejected: readonly Rejection[];
}

/** Bytes of texts beyond which the items that follow are read another time. */
const BYTES_MAX = 16_777_216;

/**
 * Reads items from one place on, as far as they fit. Those behind are decoded where the export is read from its beginning, so that
 * one which is damaged anywhere leaves nothing.
 * @param textsOf what is kept of an item: none, or several.
 */
export function* readPage<Item>(
  items: Iterable<Item>,
  from: number,
  textsOf: (item: Item) => readonly string[],
): Generator<void, ReadPage> {
  const lines: Buffer[] = [];
  let length = 0;
  let next: number | null = null;
  let count = 0;
  for (const item of items) {
    const place = count++;
    yield;
    if (place < from || next !== null) continue;
    for (const text of textsOf(item)) {
      const line = Buffer.from(`${text}\n`);
      lines.push(line);
      length += line.length;
    }
    if (length < BYTES_MAX) continue;
    next = count;
    if (from > 0) break;
  }
  const shared = new SharedArrayBuffer(length);
  const all = new Uint8Array(shared);
  let end = 0;
  for (const line of lines) {
    all.set(line, end);
    end += line.length;
  }
  return { lines: shared, count, next };
}

/** The texts of a page, one after the other. */
export function* linesOf({ lines }: Pick<ReadPage, 'lines'>): Generator<string, void, undefined> {
  const all = Buffer.from(lines);
  for (let start = 0, end = 0; start < all.length; start = end + 1) {
    end = all.indexOf('\n', start);
    yield all.toString('utf8', start, end);
  }
}

/** Reads the spans of an export from one place on; others may have their turn at each `yield`. */
export function* readSpans(
  body: ExportBody,
  dialects: DialectReader,
  rules: SpanRules,
): Generator<void, Reading<SpansPage>> {
  const read = yield* decoded(body, spansOfProtobuf, spansOfJson, (spans) =>
    readSpansPage(spans, body.from, dialects, rules),
  );
  const isNothing = 'fault' in read ? read.fault.kind === 'malformed' : read.lines.byteLength === 0 && read.count > 0;
  if (!isNothing || body.from > 0 || body.encoding !== 'protobuf') return read;
  return { ...read, other: otherSignal(Buffer.from(body.bytes), body.itemsMax) };
}

/** Reads spans from one place on, as {@link readPage} does. */
export function* readSpansPage(
  spans: Iterable<OtelSpan>,
  from: number,
  dialects: DialectReader,
  { spanBytesMax, dropScopes }: SpanRules,
): Generator<void, SpansPage> {
  const isDropped = droppedScopes(dropScopes);
  const rejections = new Rejections();
  let resource: object | undefined;
  let dropped = 0;
  const page = yield* readPage(spans, from, (span) => {
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

/**
 * Reads the log records of an export about calls of models from one place on, as {@link readSpans} does.
 * @param bytesMax bytes of JSON that one may have (setting `limits.body_bytes`).
 */
export const readLogs = (body: ExportBody, bytesMax: number): Generator<void, Reading<LogsPage>> =>
  decoded(body, logsOfProtobuf, logsOfJson, (records) => readLogsPage(records, body.from, bytesMax));

function* readLogsPage(records: Iterable<OtelLogRecord>, from: number, bytesMax: number): Generator<void, LogsPage> {
  const rejections = new Rejections();
  const page = yield* readPage(records, from, (record) => {
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

/** Counts the data points of an export. */
export const countPoints = (body: ExportBody): Generator<void, Reading<{ count: number }>> =>
  decoded(body, pointsOfProtobuf, pointsOfJson, function* (all) {
    let count = 0;
    for (const some of all) {
      count += some;
      yield;
    }
    return { count };
  });

function* decoded<Item, Read>(
  { bytes, encoding, itemsMax, ownMax }: ExportBody,
  protobuf: (body: Buffer, items: ItemBudget) => Iterable<Item>,
  json: (text: string, items: ItemBudget) => Iterable<Item>,
  read: (items: Iterable<Item>) => Generator<void, Read>,
): Generator<void, Read | { fault: Pick<ExportFault, 'kind' | 'message'> }> {
  const items = new ItemBudget(itemsMax, ownMax);
  const body = Buffer.from(bytes);
  try {
    return yield* read(encoding === 'protobuf' ? protobuf(body, items) : json(body.toString('utf8'), items));
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    return { fault: { kind: error.kind, message: error.message } };
  }
}

/** Items that are looked at: an export is of one signal. */
const ITEMS_LOOKED_AT = 1_000;

/**
 * Which signal's export a body is that was sent for spans although not one span of it can be kept. The signals wrap their
 * items in one way, so that all are read as spans of a kind.
 * @returns `undefined` where it is none of the others either.
 */
function otherSignal(body: Buffer, itemsMax: number): 'logs' | 'metrics' | undefined {
  // Spans have a text where records have their time.
  if (some(logsOfProtobuf(body, new ItemBudget(itemsMax)), ({ timeUnixNano }) => timeUnixNano > 0n)) return 'logs';
  return some(pointsOfProtobuf(body, new ItemBudget(itemsMax)), (points) => points > 0) ? 'metrics' : undefined;
}

function some<Item>(items: Iterable<Item>, holds: (item: Item) => boolean): boolean {
  try {
    let looked = 0;
    for (const item of items) {
      if (holds(item)) return true;
      if (++looked === ITEMS_LOOKED_AT) return false;
    }
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
  }
  return false;
}
