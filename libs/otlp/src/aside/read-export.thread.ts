/** The far end of {@link ExportReader}: reads large exports with the dialects of the server, which it loads for itself. */
import { workerData } from 'node:worker_threads';
import { readExactJson } from '@spandrel/contract';
import { loadPlugins, type Logger, type PluginEntry } from '@spandrel/kernel/launch';
import { ExportFault, ItemBudget } from '../decode/item-budget.js';
import { logsOfJson, pointsOfJson, spansOfJson } from '../decode/read-json.js';
import { logsOfProtobuf, pointsOfProtobuf, spansOfProtobuf } from '../decode/read-protobuf.js';
import { otherSignal } from '../decode/other-signal.js';
import type { OtlpEncoding } from '../http/otlp-protocol.js';
import { DialectReader } from '../reading/dialect-reader.js';
import { membersFromEvents } from '../write/log-event.js';
import { keepLogMembers, logsMerged, type LogView, type StoredTexts } from '../write/log-members.js';
import type { ReadEvent, SpanName } from '../write/otlp-event.store.js';
import { readLogs, readSpans, type SpanRules, type LogsPage, type SpansPage } from './read-pages.js';

/** A large export. */
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

/** What a thread works with. */
export interface ReadingData extends SpanRules {
  readonly dialects: readonly PluginEntry[];
}

const ignore = (): void => undefined;
const SILENT = { child: () => SILENT, info: ignore, warn: ignore, error: ignore } as unknown as Logger;

const data = workerData as ReadingData;
const { dialects } = await loadPlugins(data.dialects, SILENT, ['dialect']);
let dialectErrors: Record<string, number> = {};
const reader = new DialectReader(dialects, (dialect) => {
  dialectErrors[dialect] = (dialectErrors[dialect] ?? 0) + 1;
});

/** Reads the spans of an export from one place on. */
export function spans(input: ExportBody): Reading<SpansPage> {
  dialectErrors = {};
  const read = decoded(input, spansOfProtobuf, spansOfJson, (items) => ({
    ...readSpans(items, input.from, reader, data),
    dialectErrors,
  }));
  const isNothing = 'fault' in read ? read.fault.kind === 'malformed' : read.ends.length === 0 && read.count > 0;
  if (!isNothing || input.from > 0 || input.encoding !== 'protobuf') return read;
  return { ...read, other: otherSignal(Buffer.from(input.bytes), input.itemsMax) };
}

/** Reads the log records of an export about calls of models. */
export const logs = (input: ExportBody): Reading<LogsPage> =>
  decoded(input, logsOfProtobuf, logsOfJson, (items) => readLogs(items, input.from, data.spanBytesMax));

/** Counts the data points of an export. */
export const points = (input: ExportBody): Reading<{ count: number }> =>
  decoded(input, pointsOfProtobuf, pointsOfJson, (all) => {
    let count = 0;
    for (const some of all) count += some;
    return { count };
  });

/** A stored span, and the JSON of what it is sent with again or its log events. */
export interface MergeInput extends SpanName {
  readonly stored: StoredTexts;
  readonly other: string | readonly ReadEvent[];
}

/** Merges log events with what is stored of a span. @returns the JSON of what it is to have; nothing when that is what it has. */
export const merge = ({ stored, other, ...name }: MergeInput): string | undefined =>
  JSON.stringify(
    typeof other === 'string'
      ? keepLogMembers(readExactJson(other) as unknown as LogView, stored)
      : logsMerged(stored, membersFromEvents(name, other, reader, data.spanBytesMax)),
  );

function decoded<Item, Read>(
  { bytes, encoding, itemsMax, ownMax }: ExportBody,
  protobuf: (body: Buffer, items: ItemBudget) => Iterable<Item>,
  json: (text: string, items: ItemBudget) => Iterable<Item>,
  read: (items: Iterable<Item>) => Read,
): Read | { fault: Pick<ExportFault, 'kind' | 'message'> } {
  const items = new ItemBudget(itemsMax, undefined, ownMax);
  const body = Buffer.from(bytes);
  try {
    return read(encoding === 'protobuf' ? protobuf(body, items) : json(body.toString('utf8'), items));
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    return { fault: { kind: error.kind, message: error.message } };
  }
}
