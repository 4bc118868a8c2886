/** The far end of {@link ExportReader}: reads large exports with the dialects of the server, which it loads for itself. */
import { workerData } from 'node:worker_threads';
import { readExactJson } from '@spandrel/contract';
import { loadPluginsInThread, type PluginEntry } from '@spandrel/kernel/launch';
import { DialectReader } from '../reading/dialect-reader.js';
import { membersFromEvents } from '../write/log-event.js';
import { keepLogMembers, logsMerged, type LogView, type StoredTexts } from '../write/log-members.js';
import type { ReadEvent, SpanName } from '../write/otlp-event.store.js';
import {
  countPoints,
  readLogs,
  readSpans,
  type ExportBody,
  type LogsPage,
  type Reading,
  type SpanRules,
  type SpansPage,
} from './read-pages.js';

export interface ReadingData extends SpanRules {
  readonly dialects: readonly PluginEntry[];
}

const data = workerData as ReadingData;
const { dialects } = await loadPluginsInThread(data.dialects, ['dialect']);
let dialectErrors: Record<string, number> = {};
const reader = new DialectReader(dialects, (dialect) => {
  dialectErrors[dialect] = (dialectErrors[dialect] ?? 0) + 1;
});

/** Reads the spans of an export from one place on. */
export function spans(body: ExportBody): Reading<SpansPage> {
  dialectErrors = {};
  return { ...whole(readSpans(body, reader, data)), dialectErrors };
}

/** Reads the log records of an export about calls of models. */
export const logs = (body: ExportBody): Reading<LogsPage> => whole(readLogs(body, data.spanBytesMax));

/** Counts the data points of an export. */
export const points = (body: ExportBody): Reading<{ count: number }> => whole(countPoints(body));

/** Nobody waits in a thread. */
function whole<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

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
