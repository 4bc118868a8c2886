import type { SpanRecord, TraceAttributes } from '@spandrel/tracing';
import { readExactJson, readJsonInPieces, type JsonValue } from '@spandrel/contract';
import { inTurns, Turn } from '@spandrel/kernel';
import { linesOf, type ReadPage } from '../aside/read-pages.js';
import type { SpanName } from './otlp-event.store.js';

/** A record of a span under the ids by which it was sent. */
export interface NamedRecord extends SpanName {
  readonly record: SpanRecord;
}

/** The records that were read, in slices that are written in one transaction each. */
export const slicesOfRead = (page: ReadPage, size: number): AsyncGenerator<NamedRecord[], void, undefined> =>
  slicesByWeight<NamedRecord>(recordsOf(page), size);

/** What `readSpansPage` writes: a resource, or a record of the resource before it. */
interface ReadEntry {
  resource?: NonNullable<TraceAttributes['resource']>;
  spanId: string;
  record: SpanRecord;
}

async function* recordsOf(page: ReadPage): AsyncGenerator<{ value: NamedRecord; length: number }> {
  let resource: ReadEntry['resource'];
  for await (const { value, length } of valuesOf(page)) {
    const entry = value as unknown as ReadEntry;
    if (entry.resource) {
      resource = entry.resource;
      continue;
    }
    const { record, spanId } = entry;
    const traceAttributes = record.traceAttributes.resource
      ? { ...record.traceAttributes, resource: resource! }
      : record.traceAttributes;
    yield { value: { traceId: record.item.trace_id, spanId, record: { ...record, traceAttributes } }, length };
  }
}

/** UTF-16 units of JSON that one transaction writes, about: some 10 ms of the worst of values. */
const SLICE_LENGTH = 131_072;

/**
 * Takes values one after the other, in slices that are written in one transaction each.
 * @param values with the length of the JSON text of each.
 * @param size of a slice at most; a long value is one of its own.
 */
export async function* slicesByWeight<Value>(
  values: AsyncIterable<{ value: unknown; length: number }>,
  size: number,
): AsyncGenerator<Value[], void, undefined> {
  let slice: Value[] = [];
  let all = 0;
  for await (const { value, length } of values) {
    if (slice.length > 0 && (slice.length === size || all + length > SLICE_LENGTH)) {
      yield slice;
      slice = [];
      all = 0;
    }
    slice.push(value as Value);
    all += length;
  }
  if (slice.length > 0) yield slice;
}

const SHORT = 65_536;

/** Parses the texts of a page one after the other, and lets others have their turn meanwhile. */
export async function* valuesOf(page: ReadPage): AsyncGenerator<{ value: JsonValue; length: number }> {
  const turn = new Turn();
  for (const text of linesOf(page)) {
    if (text.length > SHORT) yield { value: await inTurns(readJsonInPieces(text)), length: text.length };
    else yield { value: readExactJson(text), length: text.length };
    if (turn.isOver()) await turn.next();
  }
}
