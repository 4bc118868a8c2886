import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  KEPT_SPLITS,
  type BucketWidth,
  type CountedThing,
  type GroupKey,
  type RankMeasure,
  type Split,
} from '@spandrel/contract';
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
  type Query,
  type RowOfShape,
  type Sql,
} from '@spandrel/storage';
import {
  BoundedScan,
  isNarrow,
  keysOfTraces,
  scoresInRange,
  spansInRange,
  tracesInRange,
  type TraceFilters,
  type TraceKey,
} from '@spandrel/tracing';
import { planRange, type TimeRange, HOUR_MS } from './plan-range.js';
import { nameKey } from './rollup-deltas.js';
import { GRAIN, type Grain } from './rollup.entity.js';
import { bucketOf, finite, OF_SPAN } from './span-sums.sql.js';
import { WeighedRead } from './weighed-read.sql.js';

/** Keys that a span has itself; all others are those of its trace. */
const OWN_KEYS = ['model', 'provider', 'status', 'kind', 'name'] as const;
type OwnKey = (typeof OWN_KEYS)[number];
export type SplitKey = Split | GroupKey;

/** What sums are split by: the values of one key, or of two together. */
interface SplitQuery {
  by: readonly SplitKey[];
  /** How many values are distinguished: those with most of `rank`, which is the cost unless given. */
  top: number;
  rank?: RankMeasure;
  /** Whether having no value is a value, too. */
  withNone?: boolean;
}

export interface SeriesQuery {
  /** Not empty; may be infinite. */
  range: TimeRange;
  /** `whole`: the range is one bucket, which starts at 0. */
  width: BucketWidth | 'whole';
  of: CountedThing;
  model: string | undefined;
  provider: string | undefined;
  /** Spans of such traces, or such traces; all when left out. */
  trace?: TraceFilters | undefined;
  /** A condition on `span s` that stands for model, provider and trace. */
  where?: Sql | undefined;
  split: SplitQuery | undefined;
  percentiles: boolean;
  /** Whether there are histograms of the time to the first token. */
  firstTokens?: boolean;
  /** Scores that are summed up beside: a select as `ScoresPort` has it. */
  scores?: Sql | undefined;
  /** Rows that are wanted at most; there is one more where there are more. */
  rowsMax: number;
}

/** Whether a row has sums of a bucket, of one of its keys, or of a key and with the others of the bucket. */
const PART = { bucket: 0, key: 1, both: 2 } as const;
export const isOfBucket = ({ part }: SumsRow): boolean => part !== PART.key;
export const isOfKey = ({ part }: SumsRow): boolean => part !== PART.bucket;

/**
 * Sums of a bucket, or of one key in it. `bucket` is its start in milliseconds since the epoch; `place` is the rank of the key,
 * `null` for all keys together that are not distinguished. Keys are as the roll-up has them: empty for none, or `=` and the
 * value, a status by its number. `latencies` and `firsts` are texts of `LatencyHistogram`, empty unless asked for.
 */
const BUCKET_SUMS = shapeOf({
  bucket: integer(),
  place: nullable(integer()),
  key1: nullable(text()),
  key2: nullable(text()),
  part: integer(),
  latencies: text(),
  firsts: text(),
  spans: integer(),
  tokens: number(),
  inputTokens: number(),
  cachedTokens: number(),
  finished: integer(),
  durationMs: number(),
  errors: integer(),
  priced: integer(),
  unpriced: integer(),
  usd: integer(),
  micro: integer(),
  pico: integer(),
  scores: integer(),
  scoreSum: number(),
});
const ENDS = shapeOf({ first: nullable(integer()), last: nullable(integer()) });
export type SumsRow = RowOfShape<typeof BUCKET_SUMS>;

/** Whether sums that are kept answer a question, so that nearly nothing of the range is read. */
export function isKept(
  query: Pick<SeriesQuery, 'of' | 'split' | 'trace' | 'where' | 'firstTokens' | 'scores'>,
): boolean {
  const { of, split, trace, where, firstTokens, scores } = query;
  if (of === 'traces' || isNarrow(trace) || where || firstTokens || scores) return false;
  return (split?.by ?? []).every((by) => KEPT_SPLITS.some((kept) => kept === by));
}

const encoded = (column: string): Sql => rawSql(`case when ${column} is null then '' else '=' || ${column} end`);

const SPAN_KEYS: Readonly<Record<OwnKey, Sql>> = {
  model: encoded('model'),
  provider: encoded('provider'),
  status: encoded('cast(status as text)'),
  kind: encoded('kind_type'),
  name: encoded('name'),
};

/** Keys of rows of the roll-up, which are grouped by its columns, in whose order they come. */
const ROLLUP_KEYS: Readonly<Record<(typeof KEPT_SPLITS)[number], Sql>> = {
  model: rawSql('r.model'),
  provider: rawSql('r.provider'),
  status: rawSql(`'=' || cast(r.status as text)`),
};

const isOwn = (of: CountedThing, by: SplitKey): by is OwnKey => of !== 'traces' && OWN_KEYS.some((own) => own === by);

/** The keys that a select of spans or of the roll-up has itself, each behind a comma. */
const ownKeys = ({ of, split }: SeriesQuery, keys: Readonly<Partial<Record<SplitKey, Sql>>>): Sql =>
  joinSql(
    (split?.by ?? []).flatMap((by, at) => (isOwn(of, by) ? [sql`, ${keys[by]!} as ${rawSql(`key${at + 1}`)}`] : [])),
    '',
  );

/** Histograms of rows and exact latencies of spans, and how those of several are added up. */
const LATENCIES = {
  rollup: rawSql(`string_agg(r.latencies, '')`),
  span: rawSql(`coalesce('=' || cast(duration_ms as text) || ' ', '')`),
  sum: rawSql(`string_agg(latencies, '')`),
};
const FIRSTS = {
  span: rawSql(`coalesce('=' || cast(first_token_ms as text) || ' ', '')`),
  sum: rawSql(`string_agg(firsts, '')`),
};
const NOTHING = rawSql(`''`);

const histograms = ({ percentiles, firstTokens = false }: SeriesQuery): Sql =>
  sql`${percentiles ? LATENCIES.sum : NOTHING} as latencies, ${firstTokens ? FIRSTS.sum : NOTHING} as firsts`;

/**
 * What the rows of a bucket of the roll-up, `r`, add to the sums of a bucket of the answer: added up in the order of
 * the key, which needs no sorting. Statuses are tracing's: 0 running, 2 failed.
 */
const OF_ROLLUP = rawSql(`sum(r.span_count) as spans, sum(r.tokens) as tokens,
  sum(r.input_tokens) as input_tokens, sum(r.cached_tokens) as cached_tokens,
  sum(case when r.status <> 0 then r.span_count else 0 end) as finished, sum(r.duration_ms) as duration_ms,
  sum(case when r.status = 2 then r.span_count else 0 end) as errors,
  sum(r.cost_count) as priced, sum(r.unpriced_count) as unpriced, sum(r.cost_usd) as usd,
  sum(r.cost_pico / 1000000) as micro, sum(r.cost_pico % 1000000) as pico, 0 as scores, cast(0 as double precision) as score_sum`);

/** Columns of a part that are added up, beside those of scores. */
const SUMMED = [
  ...['spans', 'tokens', 'input_tokens', 'cached_tokens', 'finished', 'duration_ms', 'errors', 'priced', 'unpriced'],
  ...['usd', 'micro', 'pico'],
];

/** A score adds to sums of scores alone. */
const OF_SCORE = rawSql(`${SUMMED.map((column) => `0 as ${column}`).join(', ')}, 1 as scores, value as score_sum`);

const SUMS = rawSql(`sum(spans) as spans, sum(tokens) as tokens, sum(input_tokens) as "inputTokens",
  sum(cached_tokens) as "cachedTokens", sum(finished) as finished, sum(duration_ms) as "durationMs", sum(errors) as errors,
  sum(priced) as priced, sum(unpriced) as unpriced, sum(usd) as usd, sum(micro) as micro, sum(pico) as pico, sum(scores) as scores, sum(score_sum) as "scoreSum"`);
/** The same, under the names of the columns that are added up. */
const ADDED = rawSql([...SUMMED, 'scores', 'score_sum'].map((column) => `sum(${column}) as ${column}`).join(', '));

/**
 * Sums by minute, hour, day or week, or of a whole range (docs/spec/analytics.md#buckets): from the roll-ups of whole days and
 * hours and the spans of the two hours that a range cuts, or where roll-ups do not know what is asked for, from all spans or
 * traces of the range; in one statement.
 */
@Injectable()
export class TimeSeriesStore {
  constructor(
    private readonly reads: WeighedRead,
    private readonly scans: BoundedScan,
  ) {}

  /**
   * @returns the sums of buckets that have spans, oldest first, in each of them keys in the order of their rank.
   * @throws DomainError `range_too_large`.
   */
  async sums(scope: Scope, query: SeriesQuery): Promise<SumsRow[]> {
    const { of, model, provider, trace, where, firstTokens = false, scores } = query;
    const names = [model, provider, ...Object.values(trace ?? {})];
    if (names.some((name) => name !== undefined && !isStorableText(name))) return [];
    if (isKept(query)) return this.kept(scope, query);
    const inRange = of === 'traces' ? tracesInRange : spansInRange;
    const filters = { model, provider, trace, isCalls: of === 'llm_calls', where, firstTokens };
    const counted = [inRange(scope, finite(query.range), filters)];
    const parts = counted.map(({ values }) => partOf(query, values));
    if (scores) {
      const scored = scoresInRange(scores, where ?? sql`s.project_id = ${scope.projectId}`);
      parts.push(partOfScores(query, scored.values));
      counted.push(scored);
    }
    return this.scans.read(union(counted.map(({ rows }) => rows)), added(scope, query, union(parts)), scope);
  }

  /** The whole hours from the first to the last span, in milliseconds; without spans nothing. */
  async ends(scope: Scope): Promise<TimeRange> {
    const ofHours = sql`from analytics_rollup where project_id = ${scope.projectId} and grain = ${GRAIN.wholeHour}`;
    const [ends] = await this.reads.read(
      rawSql('select 1 as one where 1 = 0'),
      ENDS.query`select (select min(bucket) ${ofHours}) as first, (select max(bucket) ${ofHours}) as last`,
      scope,
    );
    return { from: ends?.first ?? 0, until: typeof ends?.last === 'number' ? ends.last + HOUR_MS : 0 };
  }

  private kept(scope: Scope, query: SeriesQuery) {
    const { width, of, model, provider, split } = query;
    const { days, hours, minutes, spans } = planRange(query.range, width === 'whole' ? 'day' : width);
    const by = split?.by ?? [];
    const isNamed = of === 'llm_calls' || [model, provider].some((name) => name !== undefined);
    const hour = isNamed || by.includes('model') || by.includes('provider') ? GRAIN.hour : GRAIN.wholeHour;
    const rollups = [
      { grain: GRAIN.day, range: days },
      ...hours.map((range) => ({ grain: hour, range })),
      { grain: GRAIN.minute, range: minutes },
    ].map(({ grain, range }) => rollupsIn(scope, grain, range));
    const grouping = rawSql(['r.bucket', ...by.map((one) => `r.${one}`)].join(', '));
    const filters = { model, provider, isCalls: of === 'llm_calls' };
    const spanParts = spans.map((range) => spansInRange(scope, finite(range), filters));
    const parts = [
      ...rollups.map(
        (from) =>
          sql`select ${bucketOf('r.bucket', width)} as bucket, null as trace_id${ownKeys(query, ROLLUP_KEYS)},
            ${query.percentiles ? LATENCIES.rollup : NOTHING} as latencies, '' as firsts,
            ${OF_ROLLUP} ${from}${rollupsOf(query)} group by ${grouping}`,
      ),
      ...spanParts.map(({ values }) => partOf(query, values)),
    ];
    return this.reads.read(
      union([...rollups.map((from) => sql`select 1 as one ${from}`), ...spanParts.map(({ rows }) => rows)]),
      added(scope, query, union(parts)),
      scope,
    );
  }
}

/** A part of the sums: one row for each span or trace, with its own keys. */
const partOf = (query: SeriesQuery, values: Sql): Sql =>
  sql`select ${bucketOf('started_at', query.width)} as bucket, trace_id${ownKeys(query, SPAN_KEYS)},
    ${query.percentiles ? LATENCIES.span : NOTHING} as latencies, ${query.firstTokens ? FIRSTS.span : NOTHING} as firsts,
    ${OF_SPAN} from (${values}) priced`;

const partOfScores = (query: SeriesQuery, values: Sql): Sql =>
  sql`select ${bucketOf('started_at', query.width)} as bucket, trace_id${ownKeys(query, SPAN_KEYS)}, '' as latencies,
    '' as firsts, ${OF_SCORE} from (${values}) scored`;

/**
 * Adds parts up, by their keys where the query splits. A trace may have several of a key, such as tags: its sums count for each
 * key that is distinguished, for none of them where it has no such key, and in the bucket once.
 */
function added(scope: Scope, query: SeriesQuery, part: Sql): Query<SumsRow> {
  const { of, split, rowsMax } = query;
  const sums = sql`${histograms(query)}, ${SUMS}`;
  const whole = sql`select bucket, cast(null as integer) as place, cast(null as text) as key1, cast(null as text) as key2,
    ${rawSql(`${PART.bucket}`)} as part, ${sums} from`;
  if (!split) return BUCKET_SUMS.query`${whole} (${part}) parts group by bucket order by bucket limit ${rowsMax + 1}`;
  const keys = split.by.map((by, at) => ({ by, column: `key${at + 1}` }));
  const [own, others] = [keys.filter(({ by }) => isOwn(of, by)), keys.filter(({ by }) => !isOwn(of, by))];
  const isKeyed = others.length > 0;
  const ofTrace = (piece: Sql | string): Sql =>
    isKeyed ? (typeof piece === 'string' ? rawSql(piece) : piece) : rawSql('');
  const each = (some: typeof keys, form: (column: string) => string, separator: string): Sql =>
    rawSql(some.map(({ column }) => form(column)).join(separator));
  const names = each(keys, (column) => column, ', ');
  const partKeys = sql`bucket${each(own, (column) => `, ${column}`, '')}${ofTrace(', trace_id')}`;
  return BUCKET_SUMS.query`with parts as (select ${partKeys}, ${histograms(query)}, ${ADDED} from (${part}) one
        group by ${partKeys})${ofTrace(sql`, keyed as materialized (${keysOf(scope, others)})`)},
      ranked as (select ${names}, row_number() over (order by ${RANKS[split.rank ?? 'cost']} desc nulls last,
          sum(spans) desc, ${names}) as place
        from parts${ofTrace(' join keyed on keyed.trace_id = parts.trace_id')}
        where ${split.withNone ? rawSql('1 = 1') : each(keys, (column) => `${column} <> ''`, ' and ')} group by ${names}),
      chosen as (select ${ofTrace('keyed.trace_id, ')}ranked.* from ranked
        ${ofTrace(sql`join keyed on ${each(others, (column) => `keyed.${column} = ranked.${column}`, ' and ')}`)}
        where place <= ${split.top})
    select * from (
      select parts.bucket, chosen.place, chosen.key1, ${rawSql(keys.length > 1 ? 'chosen.key2' : 'cast(null as text)')} as key2,
        ${rawSql(`${isKeyed ? PART.key : PART.both}`)} as part, ${sums}
      from parts left join chosen on ${ofTrace('chosen.trace_id = parts.trace_id and ')}${
        own.length === 0 ? rawSql('1 = 1') : each(own, (column) => `chosen.${column} = parts.${column}`, ' and ')
      }
      group by parts.bucket, chosen.place${each(keys, (column) => `, chosen.${column}`, '')}
      ${ofTrace(sql`union all ${whole} parts group by bucket`)}
    ) summed order by bucket, part, place nulls last limit ${rowsMax + 1}`;
}

/** A select of `trace_id` and keys of the traces of `parts`, empty where a trace has none. */
const keysOf = (scope: Scope, keys: readonly { by: SplitKey; column: string }[]): Sql =>
  sql`select traces.trace_id${joinSql(
    keys.map(({ column }) =>
      rawSql(`, case when of_${column}.name is null then '' else '=' || of_${column}.name end as ${column}`),
    ),
    '',
  )} from (select distinct trace_id from parts) traces ${joinSql(
    keys.map(
      ({ by, column }) => sql`left join (${keysOfTraces(scope, by as TraceKey)}) ${rawSql(`of_${column}`)}
        on ${rawSql(`of_${column}.trace_id`)} = traces.trace_id`,
    ),
    ' ',
  )}`;

const RANKS: Readonly<Record<RankMeasure, Sql>> = {
  count: rawSql('sum(spans)'),
  cost: rawSql('sum(usd) * 1000000.0 + sum(micro) + sum(pico) / 1000000.0'),
  tokens: rawSql('sum(tokens)'),
  input_tokens: rawSql('sum(input_tokens)'),
  output_tokens: rawSql('sum(tokens) - sum(input_tokens)'),
  avg_latency: rawSql('sum(duration_ms) / nullif(sum(finished), 0)'),
  errors: rawSql('sum(errors)'),
  error_rate: rawSql('sum(errors) * 1.0 / nullif(sum(finished), 0)'),
  score_mean: rawSql('sum(score_sum) / nullif(sum(scores), 0)'),
};

const union = (parts: readonly Sql[]): Sql => joinSql(parts, ' union all ');

/** Rows of the roll-up that the query goes through: in the order of the key those of all names lie together. */
function rollupsIn(scope: Scope, grain: Grain, range: TimeRange): Sql {
  const { from, until } = finite(range);
  return sql`from analytics_rollup r where r.project_id = ${scope.projectId}
    and r.grain = ${grain} and r.bucket >= ${from} and r.bucket < ${until}`;
}

function rollupsOf({ of, model, provider }: SeriesQuery): Sql {
  const conditions: Sql[] = [];
  if (of === 'llm_calls') conditions.push(rawSql(' and r.llm = 1'));
  if (model !== undefined) conditions.push(sql` and r.model = ${nameKey(model)}`);
  if (provider !== undefined) conditions.push(sql` and r.provider = ${nameKey(provider)}`);
  return joinSql(conditions, '');
}
