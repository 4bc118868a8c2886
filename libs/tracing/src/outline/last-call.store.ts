import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  betweenStarts,
  nullable,
  shapeOf,
  sql,
  Storage,
  text,
  type LongReadOptions,
  type Query,
} from '@spandrel/storage';
import { startsOfTraces } from '../span-partitions.sql.js';

const LAST_CALL = shapeOf({ traceId: text(), spanId: nullable(text()) });

/** The last call of a model in each of some traces. */
@Injectable()
export class LastCallStore {
  constructor(private readonly storage: Storage) {}

  /** Ids of the calls that started last, by trace; traces without one are left out. */
  async find(scope: Scope, traceIds: readonly string[], options: LongReadOptions): Promise<Map<string, string>> {
    if (traceIds.length === 0) return new Map();
    const { projectId } = scope;
    const read = <Row>(query: Query<Row>): Promise<Row[]> => this.storage.readLong(query, options);
    const starts = this.storage.dialect === 'postgres' ? await startsOfTraces(read, scope, traceIds) : undefined;
    // Walks the spans of a trace from its end: by the index on kinds all calls of the project would be walked.
    const last = sql`select s.id from span s
      where s.project_id = ${projectId} and s.trace_id = t.id${betweenStarts('s.started_at', starts?.from, starts?.until)}
        and coalesce(s.kind_type, '') = 'llm_call'
      order by s.started_at desc, s.id desc limit 1`;
    const rows = await read(
      LAST_CALL.query`select t.id as "traceId", (${last}) as "spanId" from trace t
        where t.project_id = ${projectId} and ${anyOf('t.id', traceIds)}`,
    );
    return new Map(rows.flatMap(({ traceId, spanId }) => (spanId === null ? [] : [[traceId, spanId] as const])));
  }
}
