import { Injectable } from '@nestjs/common';
import type { IngestSpan, RestoredTrace } from '@spandrel/contract';
import { DomainError, type Scope } from '@spandrel/kernel';
import type { IngestSliceResult } from './apply-ingest.js';
import { ingestedSpanSchema, assertConsistent } from './ingested-span.js';
import { RecordWrites } from './record-writes.js';
import type { Indexed } from './tracing-job.js';

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
