import { Injectable } from '@nestjs/common';
import { isStorableText, type SpanResource, type TraceListItem } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions, Position } from '@spandrel/storage';
import { traceNotFound } from './apply-job.js';
import { spanResource } from './span-resource.js';
import { SpanStore } from './span.store.js';
import { TraceStore } from './trace.store.js';
import { traceListItem } from './trace-resource.js';

/** Spans read in one go; a trace may have tens of thousands. */
const SLICE = 1_000;

/** `GET /api/traces/:id`: the trace and all of its spans in start order. */
@Injectable()
export class ReadTrace {
  constructor(
    private readonly traces: TraceStore,
    private readonly store: SpanStore,
  ) {}

  /** @throws NotFound `trace_not_found`. */
  async read(
    scope: Scope,
    id: string,
    options: LongReadOptions = {},
  ): Promise<{ trace: TraceListItem; spans: SpanResource[] }> {
    const trace = isStorableText(id) ? await this.traces.find(scope, id) : undefined;
    if (!trace) throw traceNotFound();
    const spans: SpanResource[] = [];
    let from: Position | undefined;
    for (;;) {
      const rows = await this.store.ofTrace(scope, id, from, SLICE, options);
      for (const row of rows) spans.push(spanResource(row));
      const last = rows.at(-1);
      if (!last || rows.length < SLICE) return { trace: traceListItem(trace), spans };
      from = { value: last.startedAt, id: last.id };
    }
  }
}
