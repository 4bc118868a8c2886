import { Injectable } from '@nestjs/common';
import type { IngestSpan, RestoredTrace } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { IngestSliceResult } from './apply-ingest.js';
import { RecordWrites } from './record-writes.js';
import type { Indexed, RecordedResult, SpanAmendment, SpanRecord } from './tracing-job.js';

/** Writes spans that come in any order, several times, and from several senders at once (ADR 0024). */
@Injectable()
export class RecordSpans {
  constructor(private readonly writes: RecordWrites) {}

  /** Records that one transaction takes at most; the caller may make those of the next meanwhile. */
  get sliceSize(): number {
    return this.writes.jobRecords;
  }

  /**
   * Upserts spans with their traces, in one transaction or several, and amends spans that are there.
   * @param records whose items a span can be made of: they are not checked against the schemas of the wire.
   * @returns once all is durable; places are those in the lists given.
   * @throws Unavailable when the database is lost: what was written before stays, and sending all of it again is safe.
   */
  async execute(
    scope: Scope,
    records: readonly SpanRecord[],
    amendments: readonly SpanAmendment[] = [],
  ): Promise<RecordedResult> {
    const result: RecordedResult = { rejected: [], found: [] };
    const size = this.sliceSize;
    for (let start = 0; start < records.length; start += size) {
      const { rejected } = await this.write(scope, records.slice(start, start + size), []);
      result.rejected.push(...rejected.map(({ index, message }) => ({ index: index + start, message })));
    }
    for (let start = 0; start < amendments.length; start += size) {
      const { found } = await this.write(scope, [], amendments.slice(start, start + size));
      result.found.push(...found);
    }
    return result;
  }

  private async write(
    scope: Scope,
    records: readonly SpanRecord[],
    amendments: readonly SpanAmendment[],
  ): Promise<RecordedResult> {
    const job = { type: 'record_spans' as const, scope, now: Date.now(), records, amendments };
    return (await this.writes.execute(job, 'recorded')).result;
  }
}

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
