import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { ReadTraceQuery } from '@spandrel/contract';
import { streamSlices, type Scope } from '@spandrel/kernel';
import type { LongReadOptions, Position } from '@spandrel/storage';
import { spanOutline } from './outline/span-outline.js';
import { SpanOutlineStore } from './outline/span-outline.store.js';
import type { SpanRow } from './span.entity.js';
import { traceNotFound } from './write/apply-job.js';
import { spanResource } from './span-resource.js';
import { SpanStore } from './span.store.js';
import { TraceStore } from './trace.store.js';
import { traceListItem } from './trace-resource.js';

/** Spans read in one go; a trace may have tens of thousands. */
const SLICE = 1_000;

/** Loads some spans in the order of their ids, at least one, and shows each as the answer has it. */
interface SpanView<Row extends SpanRow> {
  load(ids: readonly string[], options: LongReadOptions): Promise<Row[]>;
  show(span: Row): unknown;
}

/** `GET /api/traces/:id`: the trace and all of its spans in start order (docs/spec/traces.md#reading-a-trace). */
@Injectable()
export class ReadTrace {
  constructor(
    private readonly traces: TraceStore,
    private readonly store: SpanStore,
    private readonly outlines: SpanOutlineStore,
  ) {}

  /**
   * @returns the JSON of `{trace, spans, count}`, read and written slice by slice, so that a trace of any size is shown
   *   whole in bounded memory.
   * @throws NotFound `trace_not_found`, and what reading the first slice throws, before anything is written.
   */
  async execute(
    scope: Scope,
    id: string,
    { view, preview }: ReadTraceQuery,
    options: LongReadOptions = {},
  ): Promise<Readable> {
    const trace = await this.traces.find(scope, id);
    if (!trace) throw traceNotFound();
    const slices =
      view === 'outline'
        ? this.slices(scope, id, options, {
            load: (ids, how) => this.outlines.loadSome(scope, ids, preview, how),
            show: spanOutline,
          })
        : this.slices(scope, id, options, {
            load: (ids, how) => this.store.loadSome(scope, ids, how),
            show: spanResource,
          });
    return streamSlices(slices, {
      head: `{"trace":${JSON.stringify(traceListItem(trace))},"spans":[`,
      between: ',',
      tail: (count) => `],"count":${count}}`,
    });
  }

  /** @returns how many spans there were. */
  private async *slices<Row extends SpanRow>(
    scope: Scope,
    traceId: string,
    options: LongReadOptions,
    { load, show }: SpanView<Row>,
  ): AsyncGenerator<string, number> {
    let count = 0;
    for (let from: Position | undefined; ;) {
      const patient = { ...options, patient: from !== undefined };
      const spans = await load(await this.store.idsInStartOrder(scope, traceId, from, SLICE, patient), patient);
      const last = spans.at(-1);
      if (!last) return count;
      count += spans.length;
      yield spans.map((span) => JSON.stringify(show(span))).join(',');
      from = { value: last.startedAt, id: last.id };
    }
  }
}
