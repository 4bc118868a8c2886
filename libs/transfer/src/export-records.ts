import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { exportedTrace, RecordScanStore, spanTexts, SpanStore, type TraceRow } from '@spandrel/tracing';
import type { ExportedIds } from './seen-ids.js';
import type { Texts } from '@spandrel/http';

/** JSON of items, slice by slice, made as they are taken. */
export type Slices = AsyncGenerator<Iterable<Texts>>;

/** One read: a millisecond or two of the event loop, so that requests hardly notice. */
export const SLICE = { rows: 128, bytes: 512 * 1024 };

/**
 * Rows from the first to the last, slice by slice.
 * @param read reads those behind a row, or the first ones; none at the end.
 */
export async function* slicesOf<Row>(
  read: (after: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after: Row | undefined; ;) {
    const rows = await read(after);
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1);
  }
}

export async function* oneSlice(items: readonly string[]): Slices {
  yield items;
}

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
