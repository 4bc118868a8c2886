import type { SpanRecord, TraceTelling } from '@spandrel/tracing';
import type { PackedTexts } from '../aside/packed-texts.js';
import { valuesOfTexts } from '../aside/values-of-texts.js';
import type { SpanName } from './otlp-event.store.js';
import { slicesByWeight } from './slices-of.js';

/** A record of a span under the ids by which it was sent. */
export interface NamedRecord extends SpanName {
  readonly record: SpanRecord;
}

/** The records that a thread has read, in slices that are written in one transaction each. */
export const slicesOfRead = (texts: PackedTexts, size: number): AsyncGenerator<NamedRecord[], void, undefined> =>
  slicesByWeight<NamedRecord>(recordsOf(texts), size);

/** What `readSpans` writes: a resource, or a record of the resource before it. */
interface ReadEntry {
  resource?: NonNullable<TraceTelling['resource']>;
  spanId: string;
  record: SpanRecord;
}

async function* recordsOf(texts: PackedTexts): AsyncGenerator<{ value: NamedRecord; length: number }> {
  let resource: ReadEntry['resource'];
  for await (const { value, length } of valuesOfTexts(texts)) {
    const entry = value as unknown as ReadEntry;
    if (entry.resource) {
      resource = entry.resource;
      continue;
    }
    const { record, spanId } = entry;
    const telling = record.telling.resource ? { ...record.telling, resource: resource! } : record.telling;
    yield { value: { traceId: record.item.trace_id, spanId, record: { ...record, telling } }, length };
  }
}
