import { Injectable } from '@nestjs/common';
import { isStorableText, type SpanResource, type TraceListItem } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { sql, Storage, type LongReadOptions } from '@spandrel/storage';
import { traceNotFound } from './apply-job.js';
import type { Position } from './cursor.js';
import { behind, orderBy, type Sorting } from './keyset.js';
import type { StoredSpan } from './span.entity.js';
import { spanResource } from './span-resource.js';
import { WHOLE_SPANS } from './span.store.js';
import { TraceStore } from './trace.store.js';
import { traceListItem } from './trace-resource.js';

/** Spans read in one go; a trace may have tens of thousands. */
const SLICE = 1_000;

const START_ORDER: Sorting = {
  list: 'trace',
  column: 's.started_at',
  idColumn: 's.id',
  type: 'integer',
  nullable: false,
  order: 'asc',
};

/** `GET /api/traces/:id`: the trace and all of its spans in start order. */
@Injectable()
export class ReadTrace {
  constructor(
    private readonly traces: TraceStore,
    private readonly storage: Storage,
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
      const rows = await this.storage.readLong<StoredSpan>(
        sql`${WHOLE_SPANS} where s.project_id = ${scope.projectId} and s.trace_id = ${id}
          and ${behind(START_ORDER, 'valued', from)} order by ${orderBy(START_ORDER, 'valued')} limit ${SLICE}`,
        options,
      );
      for (const row of rows) spans.push(spanResource(row));
      const last = rows.at(-1);
      if (!last || rows.length < SLICE) return { trace: traceListItem(trace), spans };
      from = { value: last.startedAt, id: last.id };
    }
  }
}
