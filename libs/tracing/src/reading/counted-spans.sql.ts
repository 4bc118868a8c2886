import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope } from '@spandrel/kernel';
import {
  integer,
  joinSql,
  nullable,
  number,
  rawSql,
  shapeOf,
  sql,
  text,
  unindexed,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import type { StoredSpan } from '../span.entity.js';

/** What of a span sums depend on. */
export type CountedSpan = Readonly<
  Pick<
    StoredSpan,
    'projectId' | 'startedAt' | 'kindType' | 'model' | 'provider' | 'status' | 'totalTokens' | 'durationMs' | 'cost'
  >
>;

/** A range of starts in milliseconds since the epoch; `until` is not in it. */
interface Starts {
  from: number;
  until: number;
}

/** Spans one statement reads; between two of them the event loop turns. */
const SPANS_PER_STATEMENT = 1_000;

const COUNTED = shapeOf({
  id: text(),
  projectId: text(),
  startedAt: integer(),
  kindType: text(),
  model: nullable(text()),
  provider: nullable(text()),
  status: integer(),
  totalTokens: nullable(integer()),
  durationMs: nullable(integer()),
  cost: nullable(number()),
});

/** The spans of a trace, or of the whole project, some at a time, in the order of their starts: memory stays flat. */
export async function* countedSpans(tx: WriteTx, scope: Scope, traceId?: string): AsyncGenerator<CountedSpan[]> {
  const which: Sql =
    traceId === undefined
      ? sql`s.project_id = ${scope.projectId}`
      : sql`s.project_id = ${scope.projectId} and s.trace_id = ${traceId}`;
  let [startedAt, id] = [Number.MIN_SAFE_INTEGER, ''];
  for (;;) {
    const spans = await tx.all(
      COUNTED.query`select s.id as id, s.project_id as "projectId", s.started_at as "startedAt",
          s.kind_type as "kindType", s.model as model, s.provider as provider, s.status as status,
          s.total_tokens as "totalTokens", s.duration_ms as "durationMs", s.cost as cost
        from span s where ${which} and (s.started_at, s.id) > (${startedAt}, ${id})
        order by s.started_at, s.id limit ${SPANS_PER_STATEMENT}`,
    );
    if (spans.length > 0) yield spans;
    if (spans.length < SPANS_PER_STATEMENT) return;
    ({ startedAt, id } = spans.at(-1)!);
    await nextTurn();
  }
}

const COUNT = shapeOf({ count: integer() });
const PROJECT = shapeOf({ id: nullable(text()) });

/** How many traces the project has. */
export async function countTraces(tx: WriteTx, { projectId }: Scope): Promise<number> {
  const [row] = await tx.all(COUNT.query`select count(*) as count from trace where project_id = ${projectId}`);
  return row!.count;
}

/** Every project that has traces or spans, found in their keys. */
export async function* projectsWithRecords(tx: WriteTx): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const [row] = await tx.all(
      PROJECT.query`select min(next) as id from (
          select min(project_id) as next from trace where project_id > ${last}
          union all select min(project_id) as next from span where project_id > ${last}
        ) projects`,
    );
    if (typeof row?.id !== 'string') return;
    last = row.id;
    yield last;
  }
}

/** Spans that started in a range, as parts of a select that a feature adds up. */
export interface SpansInRange {
  /** A select of one row for each span that has to be read, for counting them first. */
  rows: Sql;
  /**
   * A select of `started_at, model, provider, status, total_tokens, duration_ms, costs, unpriced, usd, pico`: whether there is a cost, or
   * one is missing, as 1 and 0, and the cost as `toCostSum` takes it apart.
   */
  values: Sql;
}

/** The spans of a project that started in a range, of a model and a provider where these are given. */
export function spansInRange(
  { projectId }: Scope,
  { from, until }: Starts,
  { model, provider }: { model?: string | undefined; provider?: string | undefined },
): SpansInRange {
  const conditions = [sql`s.project_id = ${projectId} and s.started_at >= ${from} and s.started_at < ${until}`];
  // An index leads to the spans of a model, or of a provider; by both, the one of the model is taken.
  if (model !== undefined) conditions.push(sql`s.model = ${model}`);
  else if (provider !== undefined) conditions.push(sql`s.provider = ${provider}`);
  const spans = sql`from span s where ${joinSql(conditions, ' and ')}`;
  const tested =
    model === undefined || provider === undefined ? spans : sql`${spans} and ${unindexed('s.provider')} = ${provider}`;
  return {
    rows: sql`select 1 as one ${spans}`,
    values: sql`select ${VALUES}, ${ROUNDED} from (
      select ${VALUES}, ${PARTED} from (
        select s.started_at, s.model, s.provider, s.status, s.total_tokens, s.duration_ms, ${PRICED}, ${CAPPED} ${tested}) capped) parted`,
  };
}

/** What the parts of a select of {@link SpansInRange} hand on, beside the cost. */
const VALUES = rawSql('started_at, model, provider, status, total_tokens, duration_ms, costs, unpriced');

/** What spans of one model, provider, status and sort come to in a time bucket. */
const SUMS = shapeOf({
  projectId: text(),
  bucket: integer(),
  model: nullable(text()),
  provider: nullable(text()),
  status: integer(),
  /** 1 for LLM calls, 0 for all others. */
  llm: integer(),
  spanCount: integer(),
  tokens: number(),
  durationMs: number(),
  /** Cost: whole dollars, whole millionths and trillionths. */
  costUsd: number(),
  costMicro: number(),
  costPico: number(),
  costCount: integer(),
  /** Spans that lack one, as `isUnpriced` has it. */
  unpricedCount: integer(),
});

const KEY = rawSql('project_id, bucket, model, provider, status, llm');

/**
 * What the spans that started in a range come to, of all projects, added up by the database.
 * @param bucketOf the start of the time bucket of a column.
 */
export const sumSpans = (tx: WriteTx, { from, until }: Starts, bucketOf: (column: string) => Sql) =>
  tx.all(
    SUMS.query`select project_id as "projectId", bucket, model, provider, status, llm, count(*) as "spanCount",
        sum(tokens) as tokens, sum(duration_ms) as "durationMs", sum(usd) as "costUsd",
        sum(pico / 1000000) as "costMicro", sum(pico % 1000000) as "costPico", sum(costs) as "costCount",
        sum(unpriced) as "unpricedCount"
      from (select ${KEY}, tokens, duration_ms, costs, unpriced, ${ROUNDED}
        from (select ${KEY}, tokens, duration_ms, costs, unpriced, ${PARTED}
          from (select s.project_id, ${bucketOf('s.started_at')} as bucket, s.model, s.provider, s.status,
              case when s.kind_type = 'llm_call' then 1 else 0 end as llm,
              coalesce(cast(s.total_tokens as double precision), 0) as tokens,
              coalesce(cast(s.duration_ms as double precision), 0) as duration_ms,
              ${PRICED}, ${CAPPED}
            from span s where s.started_at >= ${from} and s.started_at < ${until}) capped) parted) priced
      group by ${KEY}`,
  );

/** Whether a span has a cost, and whether it lacks one, as `isUnpriced` has it: 0 is running. */
const PRICED = rawSql(`case when s.cost is null then 0 else 1 end as costs,
  case when s.cost is null and s.total_tokens > 0 and s.status <> 0 then 1 else 0 end as unpriced`);

/** A cost in dollars and trillionths, as `toCostSum` takes it apart: the same operations on the same doubles. */
const CAPPED = rawSql('case when s.cost > 1000000000.0 then 1000000000.0 else coalesce(s.cost, 0.0) end as cost');
const PARTED = rawSql('floor(cost) as usd, (cost - floor(cost)) * 1000000000000.0 as pico');
const ROUNDED = rawSql(`cast(usd as bigint) as usd,
  cast(floor(pico) as bigint) + case when pico - floor(pico) >= 0.5 then 1 else 0 end as pico`);
