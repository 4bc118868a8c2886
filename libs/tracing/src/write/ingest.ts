import { Injectable } from '@nestjs/common';
import {
  fieldErrors,
  INGEST_ITEMS_MAX,
  ingestTraceSchema,
  jsonWeight,
  type IngestRejection,
  type IngestResult,
  type IngestSpan,
  type RestoredTrace,
} from '@spandrel/contract';
import { Invalid, type Scope, DomainError } from '@spandrel/kernel';
import type { z } from 'zod';
import { ingestedSpanSchema, assertConsistent } from './ingested-span.js';
import { RecordWrites } from './record-writes.js';
import type { Indexed } from './tracing-job.js';
import type { IngestSliceResult } from './apply-ingest.js';

/** What `POST /api/ingest` carries, items unchecked. */
interface IngestRequest {
  traces?: unknown[] | null | undefined;
  spans?: unknown[] | null | undefined;
  scores?: unknown[] | null | undefined;
}

/**
 * `POST /api/ingest`: checks and upserts items, each taken whole or rejected whole, traces before spans
 * (docs/spec/ingest.md#items-stand-alone).
 */
@Injectable()
export class Ingest {
  constructor(private readonly writes: RecordWrites) {}

  /**
   * @returns once every slice is durable.
   * @throws Invalid `payload_too_large` for too many items. Unavailable when the database is lost on the way: what was
   *   written before stays, and sending all of it again is safe.
   */
  async execute(scope: Scope, request: IngestRequest): Promise<IngestResult> {
    const traces = request.traces ?? [];
    const spans = request.spans ?? [];
    if (traces.length + spans.length + (request.scores?.length ?? 0) > INGEST_ITEMS_MAX) {
      throw new Invalid(
        'payload_too_large',
        `one ingest may carry at most ${INGEST_ITEMS_MAX} traces, spans and scores; send the others in another request`,
      );
    }
    const result: IngestResult = { accepted: { traces: 0, spans: 0 }, rejected: [] };
    const { jobItems } = this.writes;
    const all = traces.length + spans.length;
    for (let start = 0, end = 0; start < all; start = end) {
      end = sliceEnd(traces, spans, start, jobItems);
      const rejected: IngestRejection[] = [];
      const slice = {
        traces: checked('traces', ingestTraceSchema, traces, start, end, rejected),
        spans: checked('spans', ingestedSpanSchema, spans, start - traces.length, end - traces.length, rejected),
      };
      const { result: done } = await this.writes.execute(
        { type: 'ingest', scope, now: Date.now(), ...slice },
        'ingested',
      );
      result.accepted.traces += done.accepted.traces;
      result.accepted.spans += done.accepted.spans;
      result.rejected.push(...rejected, ...done.rejected);
    }
    result.rejected.sort(comparePlaces);
    return result;
  }
}

/** What one transaction writes of an ingest, about, as `jsonWeight` counts: some 10 ms of the worst of values. */
const SLICE_WEIGHT = 262_144;

/** Where a slice ends that begins at `start`: it has so many items at most, and few large ones. */
function sliceEnd(traces: readonly unknown[], spans: readonly unknown[], start: number, itemsMax: number): number {
  const last = Math.min(start + itemsMax, traces.length + spans.length);
  let weight = 0;
  for (let at = start; at < last; at++) {
    weight += jsonWeight(at < traces.length ? traces[at] : spans[at - traces.length], SLICE_WEIGHT);
    if (weight > SLICE_WEIGHT) return Math.max(at, start + 1);
  }
  return last;
}

function checked<Item>(
  collection: IngestRejection['collection'],
  schema: z.ZodType<Item>,
  items: readonly unknown[],
  start: number,
  end: number,
  rejected: IngestRejection[],
): Indexed<Item>[] {
  const valid: Indexed<Item>[] = [];
  for (let index = Math.max(0, start); index < Math.min(end, items.length); index++) {
    const parsed = schema.safeParse(items[index]);
    if (parsed.success) {
      valid.push({ index, item: parsed.data });
    } else {
      const faults = fieldErrors(parsed.error).map(({ path, message }) =>
        path === '' ? message : `${path} ${message}`,
      );
      rejected.push({ index, collection, code: 'validation_failed', message: faults.join('; ') });
    }
  }
  return valid;
}

const comparePlaces = (a: IngestRejection, b: IngestRejection): number =>
  a.collection === b.collection ? a.index - b.index : a.collection === 'traces' ? -1 : 1;

/** A span of an export. One that contradicts itself is refused here, before anything is written. */
export const restoredSpanSchema = ingestedSpanSchema.superRefine((span, context) => {
  try {
    assertConsistent(span);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    for (const { path, message } of error.errors ?? []) context.addIssue({ code: 'custom', path: [path], message });
  }
});

/** Brings traces and spans of an export back, as ingest would have taken them at the time. */
@Injectable()
export class RestoreRecords {
  constructor(private readonly writes: RecordWrites) {}

  /**
   * Upserts traces, then spans, in one transaction: roll-ups and events as for any write; costs are those of the items,
   * and no capture rule takes a span that ended elsewhere. A few hundred items at most: other writers wait meanwhile.
   * @throws Unavailable when the database is lost; nothing of this call is written then.
   */
  async execute(
    scope: Scope,
    traces: readonly Indexed<RestoredTrace>[],
    spans: readonly Indexed<IngestSpan>[],
  ): Promise<IngestSliceResult> {
    const job = { type: 'ingest' as const, scope, now: Date.now(), traces, spans, restored: true as const };
    return (await this.writes.execute(job, 'ingested')).result;
  }
}
