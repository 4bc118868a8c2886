import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope } from '@spandrel/kernel';
import { rawSql, sql, type Sql, type Storage, type WriteTx } from '@spandrel/storage';
import type { CountedSpan } from './rollup-deltas.js';

/** Spans one statement reads; between two of them the event loop turns. */
const SPANS_PER_STATEMENT = 1_000;

const COUNTED = rawSql(`s.id as id, s.project_id as "projectId", s.started_at as "startedAt", s.kind_type as "kindType",
  s.model as model, s.provider as provider, s.status as status, s.total_tokens as "totalTokens",
  s.duration_ms as "durationMs", s.cost as cost`);

/** The spans of a trace, or of the whole project, some at a time, in the order of their starts: memory stays flat. */
export async function* countedSpans(tx: WriteTx, scope: Scope, traceId?: string): AsyncGenerator<CountedSpan[]> {
  const of: Sql =
    traceId === undefined
      ? sql`s.project_id = ${scope.projectId}`
      : sql`s.project_id = ${scope.projectId} and s.trace_id = ${traceId}`;
  let [startedAt, id] = [Number.MIN_SAFE_INTEGER, ''];
  for (;;) {
    const spans = await tx.all<CountedSpan & { id: string }>(
      sql`select ${COUNTED} from span s where ${of} and (s.started_at, s.id) > (${startedAt}, ${id})
        order by s.started_at, s.id limit ${SPANS_PER_STATEMENT}`,
    );
    if (spans.length > 0) yield spans;
    if (spans.length < SPANS_PER_STATEMENT) return;
    ({ startedAt, id } = spans.at(-1)!);
    await nextTurn();
  }
}

export async function countTraces(tx: WriteTx, { projectId }: Scope): Promise<number> {
  const [row] = await tx.all<{ n: number }>(sql`select count(*) as n from trace where project_id = ${projectId}`);
  return row!.n;
}

/** Every project that has traces or spans, found in their keys. */
export async function* projectsWithTraces(tx: WriteTx): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const [row] = await tx.all<{ next: string | null }>(
      sql`select min(next) as next from (
          select min(project_id) as next from trace where project_id > ${last}
          union all select min(project_id) as next from span where project_id > ${last}
        ) projects`,
    );
    if (typeof row?.next !== 'string') return;
    last = row.next;
    yield last;
  }
}

const ROLLUPS_MISSING = sql`select 1 as one where exists (select 1 from trace)
  and (not exists (select 1 from analytics_total)
    or (exists (select 1 from span) and not exists (select 1 from analytics_rollup)))`;

/** Whether the database has traces and no roll-ups: an earlier version made them. @param on the database, or a transaction. */
export async function rollupsAreMissing(on: Storage | WriteTx): Promise<boolean> {
  const rows = 'all' in on ? await on.all(ROLLUPS_MISSING) : await on.read(ROLLUPS_MISSING);
  return rows.length > 0;
}
