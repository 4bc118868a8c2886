import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope } from '@spandrel/kernel';
import {
  integer,
  joinSql,
  nullable,
  number,
  onPostgres,
  onSqlite,
  rawSql,
  shapeOf,
  sql,
  text,
  unindexed,
  type Reader,
  type RowOfShape,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { METADATA_COLUMNS } from '../metadata/metadata.entity.js';
import { PAYLOAD_OF_SPAN } from '../span.store.js';

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
  inputTokens: nullable(integer()),
  totalTokens: nullable(integer()),
  cachedTokens: nullable(integer()),
  durationMs: nullable(integer()),
  cost: nullable(number()),
});
export type CountedSpan = Readonly<Omit<RowOfShape<typeof COUNTED>, 'id'>>;

/** The spans of a trace, or of the whole project, some at a time, in the order of their starts: memory stays flat. */
export async function* countedSpans(tx: WriteTx, scope: Scope, traceId?: string): AsyncGenerator<CountedSpan[]> {
  const ofTrace = traceId === undefined ? sql`` : sql` and s.trace_id = ${traceId}`;
  let [startedAt, id] = [Number.MIN_SAFE_INTEGER, ''];
  for (;;) {
    const spans = await tx.all(
      COUNTED.query`select s.id as id, s.project_id as "projectId", s.started_at as "startedAt",
          s.kind_type as "kindType", s.model as model, s.provider as provider, s.status as status,
          s.input_tokens as "inputTokens", s.total_tokens as "totalTokens", s.cached_tokens as "cachedTokens",
          s.duration_ms as "durationMs", s.cost as cost
        from span s where s.project_id = ${scope.projectId}${ofTrace} and (s.started_at, s.id) > (${startedAt}, ${id})
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
export async function* projectsWithRecords(reader: Pick<Reader, 'all'>): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const [row] = await reader.all(
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

/** What is counted of a range, as parts of a select that a feature adds up. */
export interface Countable {
  /** A select of one row for each that has to be read, for counting them first. */
  rows: Sql;
  /**
   * A select of `started_at, trace_id, model, provider, status, kind_type, name, total_tokens, input_tokens, cached_tokens,
   * duration_ms, first_token_ms, costs, unpriced, usd, pico`: whether there is a cost, or one is missing, as 1 and 0, and the
   * cost as `toCostSum` takes it apart. What a trace does not know is `null`.
   */
  values: Sql;
}

/** Which spans or traces of a range count; texts must be such that a column can hold. */
export interface CountableFilters {
  model?: string | undefined;
  provider?: string | undefined;
  /** LLM calls alone. */
  isCalls?: boolean;
  /** Spans of such traces, or such traces. */
  trace?: TraceFilters | undefined;
  /** A condition on `span s` that stands for all of these. */
  where?: Sql | undefined;
  /** Whether the time to the first token is read, which payloads have. */
  firstTokens?: boolean;
}

/** Which traces count; all that is given must hold, and texts must be such that a column can hold. */
export interface TraceFilters {
  userId?: string | undefined;
  sessionId?: string | undefined;
  name?: string | undefined;
  tag?: string | undefined;
}

/** Whether any trace is left out. */
export const isNarrow = (filters: TraceFilters | undefined): filters is TraceFilters =>
  Object.values(filters ?? {}).some((value) => value !== undefined);

/** The ids of the traces that filters take. */
export const tracesWith = (scope: Scope, filters: TraceFilters): Sql =>
  sql`select t.id from trace t where t.project_id = ${scope.projectId}${conditionsOfTrace(scope, filters)}`;

/** The conditions of filters on `trace t`, each behind an `and`. */
function conditionsOfTrace({ projectId }: Scope, { userId, sessionId, name, tag }: TraceFilters): Sql {
  const columns = { user_id: userId, session_id: sessionId, name };
  const conditions = Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [sql` and ${rawSql(`t.${column}`)} = ${value}`],
  );
  if (tag !== undefined) {
    conditions.push(sql` and t.id in (select g.trace_id from trace_tag g
      where g.project_id = ${projectId} and g.tag = ${tag})`);
  }
  return joinSql(conditions, '');
}

/** The spans of a project that started in a range. */
export function spansInRange(scope: Scope, { from, until }: Starts, filters: CountableFilters): Countable {
  const { projectId } = scope;
  const { where, firstTokens = false } = filters;
  const { model, provider, isCalls = false, trace } = where ? {} : filters;
  const conditions = [sql`s.project_id = ${projectId} and s.started_at >= ${from} and s.started_at < ${until}`];
  if (where) conditions.push(where);
  // An index leads to the spans of a model, or of a provider; by both, the one of the model is taken.
  if (model !== undefined) conditions.push(sql`s.model = ${model}`);
  else if (provider !== undefined) conditions.push(sql`s.provider = ${provider}`);
  if (isNarrow(trace)) conditions.push(sql`s.trace_id in (${tracesWith(scope, trace)})`);
  const tested = [joinSql(conditions, ' and ')];
  if (model !== undefined && provider !== undefined) tested.push(sql`${unindexed('s.provider')} = ${provider}`);
  if (isCalls) tested.push(sql`${unindexed('s.kind_type')} = 'llm_call'`);
  return {
    rows: sql`select 1 as one from span s where ${tested[0]!}`,
    values: sql`select ${VALUES}, ${ROUNDED} from (
      select ${VALUES}, ${PARTED} from (
        select s.started_at, s.trace_id, s.model, s.provider, s.status, s.kind_type, s.name, s.total_tokens, s.input_tokens,
          s.cached_tokens, s.duration_ms, ${firstTokens ? FIRST_TOKEN : rawSql('null')} as first_token_ms, ${PRICED}, ${CAPPED}
        from span s${firstTokens ? sql` left join span_payload p on ${PAYLOAD_OF_SPAN}` : rawSql('')}
        where ${joinSql(tested, ' and ')}) capped) parted`,
  };
}

/** The time to the first token in `span_payload p`, in whole milliseconds, where metadata say it in plain digits. */
const FIRST_TOKEN: Sql = sql`case when p.metadata like '%"time_to_first_token_ms"%' and p.metadata not like '%\\u0000%' escape '!'
  and p.metadata not like '%\\ud%' escape '!' then (select case when length(m.first) between 1 and 15
      and ${onPostgres(rawSql(`m.first ~ '^[0-9.]+$'`))}${onSqlite(rawSql(`m.first not glob '*[^0-9.]*'`))}
      then cast(floor(cast(m.first as double precision) + 0.5) as bigint) end
    from (select ${onPostgres(rawSql('cast(p.metadata::json'))}${onSqlite(rawSql('cast(p.metadata'))}
      -> 'time_to_first_token_ms' as text) as first) m) end`;

/**
 * Scores that began in a range, as rows of `started_at, trace_id, model, provider, status, kind_type, name, value`: what they
 * have of a span is that of the one they are about, and nothing for those about a trace.
 * @param scores a select of `project_id, trace_id, span_id, target_at, value`. @param where a condition on `span s`.
 */
export const scoresInRange = (scores: Sql, where: Sql): Pick<Countable, 'rows' | 'values'> => ({
  rows: sql`select 1 as one from (${scores}) c`,
  values: sql`select s.started_at, s.trace_id, s.model, s.provider, s.status, s.kind_type, s.name, s.value from (
    select c.project_id, coalesce(s.id, '') as id, c.trace_id, c.target_at as started_at, c.value, ${OF_SPAN}
    from (${scores}) c left join span s
      on s.project_id = c.project_id and s.id = c.span_id and s.started_at = c.target_at) s where ${where}`,
});

/** Columns that conditions on a span name, beside its id, trace and start. */
const OF_SPAN = rawSql(
  [...['parent_id', 'name', 'status', 'kind_type', 'model', 'provider'], ...['duration_ms', 'total_tokens', 'cost']]
    .concat(METADATA_COLUMNS)
    .map((column) => `s.${column}`)
    .join(', '),
);

/** The traces of a project that started in a range; with a model or provider, those that have a span of it. */
export function tracesInRange(scope: Scope, { from, until }: Starts, filters: CountableFilters): Countable {
  const { projectId } = scope;
  const conditions = [sql`t.project_id = ${projectId} and t.started_at >= ${from} and t.started_at < ${until}`];
  for (const column of ['model', 'provider'] as const) {
    const name = filters[column];
    if (name !== undefined) {
      conditions.push(sql`t.id in (select s.trace_id from span s
        where s.project_id = ${projectId} and ${rawSql(`s.${column}`)} = ${name})`);
    }
  }
  const traces = sql`from trace t where ${joinSql(conditions, ' and ')}${conditionsOfTrace(scope, filters.trace ?? {})}`;
  return { rows: sql`select 1 as one ${traces}`, values: sql`select ${TRACE_VALUES} ${traces}` };
}

/** What traces say that spans do not; spans have it by their trace. */
export type TraceKey =
  | 'user'
  | 'session'
  | 'trace_name'
  | 'tag'
  | 'model'
  | 'provider'
  | 'status'
  | `metadata.${string}`;

/** A select of `trace_id` and `name`: the keys of traces; a trace has several tags, models and providers, or none. */
export function keysOfTraces({ projectId }: Scope, by: TraceKey): Sql {
  const ofTrace = (value: Sql): Sql =>
    sql`select t.id as trace_id, ${value} as name from trace t where t.project_id = ${projectId}`;
  switch (by) {
    case 'tag':
      // By trace no index has them: SQLite makes one for the query, and would else look through all tags for each trace.
      return sql`select g.trace_id, g.tag as name from trace_tag g where ${unindexed('g.project_id')} = ${projectId}`;
    case 'model':
    case 'provider':
      return sql`select distinct s.trace_id, ${rawSql(`s.${by}`)} as name from span s where s.project_id = ${projectId}`;
    case 'user':
    case 'session':
      return ofTrace(rawSql(`t.${by}_id`));
    case 'trace_name':
      return ofTrace(rawSql('t.name'));
    case 'status':
      return ofTrace(rawSql('cast(t.status as text)'));
    default:
      return ofTrace(metadataText(by.slice('metadata.'.length)));
  }
}

/**
 * A member of the metadata of `trace t`: a string as it is, anything else as JSON. Texts that Postgres cannot read, with NUL or
 * half a surrogate pair, count as having none, on both databases.
 */
const metadataText = (
  key: string,
): Sql => sql`case when t.metadata like '%\\u0000%' escape '!' or t.metadata like '%\\ud%' escape '!' then null
  else ${onPostgres(sql`t.metadata::json ->> ${key}`)}${onSqlite(sql`(select case m.type when 'null' then null
    when 'text' then m.value else t.metadata -> m.fullkey end from json_each(t.metadata) m where m.key = ${key} limit 1)`)} end`;

/** What the parts of a select of {@link spansInRange} hand on, beside the cost. */
const VALUES =
  rawSql(`started_at, trace_id, model, provider, status, kind_type, name, total_tokens, input_tokens, cached_tokens,
  duration_ms, first_token_ms, costs, unpriced`);

/** Columns of a trace like these, whose duration is from its start to its last end. */
const TRACE_VALUES =
  rawSql(`t.started_at, t.id as trace_id, null as model, null as provider, t.status, null as kind_type,
  null as name, t.total_tokens, null as input_tokens, null as cached_tokens, null as first_token_ms,
  case when t.span_count > 0 and t.running_count = 0 then
    case when t.last_ended_at > t.started_at then t.last_ended_at - t.started_at else 0 end end as duration_ms,
  case when t.cost_count > 0 then 1 else 0 end as costs, t.unpriced_count as unpriced, t.cost_usd as usd, t.cost_pico as pico`);

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
  inputTokens: number(),
  cachedTokens: number(),
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
        sum(tokens) as tokens, sum(input_tokens) as "inputTokens", sum(cached_tokens) as "cachedTokens",
        sum(duration_ms) as "durationMs", sum(usd) as "costUsd",
        sum(pico / 1000000) as "costMicro", sum(pico % 1000000) as "costPico", sum(costs) as "costCount",
        sum(unpriced) as "unpricedCount"
      from (select ${KEY}, tokens, input_tokens, cached_tokens, duration_ms, costs, unpriced, ${ROUNDED}
        from (select ${KEY}, tokens, input_tokens, cached_tokens, duration_ms, costs, unpriced, ${PARTED}
          from (select s.project_id, ${bucketOf('s.started_at')} as bucket, s.model, s.provider, s.status,
              case when s.kind_type = 'llm_call' then 1 else 0 end as llm,
              coalesce(cast(s.total_tokens as double precision), 0) as tokens,
              coalesce(cast(s.input_tokens as double precision), 0) as input_tokens,
              coalesce(cast(s.cached_tokens as double precision), 0) as cached_tokens,
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
