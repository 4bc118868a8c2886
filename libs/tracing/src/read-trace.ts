import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions, Position } from '@spandrel/storage';
import { traceNotFound } from './apply-job.js';
import type { StoredSpan } from './span.entity.js';
import { spanResource } from './span-resource.js';
import { SpanStore } from './span.store.js';
import type { TraceRow } from './trace.entity.js';
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

  /**
   * @returns the JSON of `{trace, spans, count}`, read and written slice by slice, so that a trace of any size is shown
   *   whole in bounded memory.
   * @throws NotFound `trace_not_found`, and what reading the first slice throws, before anything is written.
   */
  async read(scope: Scope, id: string, options: LongReadOptions = {}): Promise<Readable> {
    const trace = await this.traces.find(scope, id);
    if (!trace) throw traceNotFound();
    const first = await this.store.ofTrace(scope, id, undefined, SLICE, options);
    return Readable.from(this.write(scope, trace, first, options), { objectMode: false });
  }

  private async *write(
    scope: Scope,
    trace: TraceRow,
    first: StoredSpan[],
    options: LongReadOptions,
  ): AsyncGenerator<string> {
    let head = `{"trace":${JSON.stringify(traceListItem(trace))},"spans":[`;
    let count = 0;
    for (let rows = first; rows.length > 0;) {
      yield head + rows.map((row) => JSON.stringify(spanResource(row))).join(',');
      head = ',';
      count += rows.length;
      const last = rows.at(-1)!;
      const from: Position = { value: last.startedAt, id: last.id };
      rows = await this.store.ofTrace(scope, trace.id, from, SLICE, options);
    }
    yield `${count === 0 ? head : ''}],"count":${count}}`;
  }
}
