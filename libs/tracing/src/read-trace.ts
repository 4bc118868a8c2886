import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { streamSlices, type Scope } from '@spandrel/kernel';
import type { LongReadOptions, Position } from '@spandrel/storage';
import { traceNotFound } from './write/apply-job.js';
import { spanResource } from './span-resource.js';
import { SpanStore } from './span.store.js';
import { TraceStore } from './trace.store.js';
import { traceListItem } from './trace-resource.js';

/** Spans read in one go; a trace may have tens of thousands. */
const SLICE = 1_000;

/** `GET /api/traces/:id`: the trace and all of its spans in start order (docs/spec/traces.md#reading-a-trace). */
@Injectable()
export class ReadTrace {
  constructor(
    private readonly traces: TraceStore,
    private readonly store: SpanStore,
  ) {}

  /**
   * @returns the JSON of `{trace, spans, count}`, read and written slice by slice, so that a trace of any size is shown
   *   whole in bounded memory.
   * @throws NotFound `trace_not_found`, and what reading the first slice throws, before anything is written.
   */
  async execute(scope: Scope, id: string, options: LongReadOptions = {}): Promise<Readable> {
    const trace = await this.traces.find(scope, id);
    if (!trace) throw traceNotFound();
    return streamSlices(this.slices(scope, id, options), {
      head: `{"trace":${JSON.stringify(traceListItem(trace))},"spans":[`,
      between: ',',
      tail: (count) => `],"count":${count}}`,
    });
  }

  /** @returns how many spans there were. */
  private async *slices(scope: Scope, traceId: string, options: LongReadOptions): AsyncGenerator<string, number> {
    let count = 0;
    for (let from: Position | undefined; ;) {
      const spans = await this.store.ofTrace(scope, traceId, from, SLICE, { ...options, patient: from !== undefined });
      const last = spans.at(-1);
      if (!last) return count;
      count += spans.length;
      yield spans.map((span) => JSON.stringify(spanResource(span))).join(',');
      from = { value: last.startedAt, id: last.id };
    }
  }
}
