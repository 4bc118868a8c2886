import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { exportedTrace, RecordScanStore, spanTexts, SpanStore, type TraceRow } from '@spandrel/tracing';
import type { ExportedIds } from './exported-ids.js';
import { SLICE, slicesOf, type Slices } from './slices.js';

/** Traces and spans as an export has them. */
@Injectable()
export class ExportRecords {
  constructor(
    private readonly scan: RecordScanStore,
    private readonly spans: SpanStore,
  ) {}

  async *allTraces(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: TraceRow) => this.scan.traces(scope, after?.id ?? '', SLICE, options);
    for await (const traces of slicesOf(read)) {
      for (const { id } of traces) written.traces.add(id);
      yield traces.values().map(traceJson);
    }
  }

  async *allSpans(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.scan.spans(scope, after?.id ?? '', SLICE, options);
    for await (const spans of slicesOf(read)) {
      const shown = spans.filter(({ traceId }) => written.traces.has(traceId));
      yield shown.values().map(spanTexts);
    }
  }

  /** The spans of a trace in start order. */
  async *spansOf(scope: Scope, traceId: string, options: LongReadOptions): Slices {
    const read = (after?: { startedAt: number; id: string }) =>
      this.spans.ofTrace(scope, traceId, after && { value: after.startedAt, id: after.id }, SLICE.rows, options);
    for await (const spans of slicesOf(read)) yield spans.values().map(spanTexts);
  }
}

export const traceJson = (trace: TraceRow): string => JSON.stringify(exportedTrace(trace));
