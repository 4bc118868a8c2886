import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  KEPT_SPLITS,
  TOP_MAX,
  type BucketWidth,
  type CountedThing,
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
  type LongReadOptions,
  type Query,
  type RowOfShape,
  type Sql,
} from '@spandrel/storage';
import {
  BoundedScan,
  isNarrow,
  keysOfTraces,
  spansInRange,
  tracesInRange,
  type TraceFilters,
  type TraceKey,
} from '@spandrel/tracing';
import { planRange, type TimeRange, BUCKET, HOUR_MS } from './plan-range.js';
import { nameKey } from './rollup-deltas.js';
import { GRAIN, type Grain } from './rollup.entity.js';
import { WeighedRead } from './weighed-read.sql.js';

/** What a time series is asked for. */
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
  /** What buckets are split by, and how many of its keys are distinguished. */
  split: { by: Split; top: number } | undefined;
  percentiles: boolean;
  /** Rows that are wanted at most; there is one more where there are more. */
  rowsMax: number;
}

/** Whether a row has sums of a bucket, of one of its keys, or of a key and with the others of the bucket. */
const PART = { bucket: 0, key: 1, both: 2 } as const;
export const isOfBucket = ({ part }: SumsRow): boolean => part !== PART.key;
export const isOfKey = ({ part }: SumsRow): boolean => part !== PART.bucket;

/**
 * Sums of a bucket, or of one key in it. `bucket` is its start in milliseconds since the epoch; `splitKey` is `null` for all keys
 * together that are not distinguished, and a status is its number; `latencies` is text of `LatencyHistogram`, empty unless asked for.
 */
const BUCKET_SUMS = shapeOf({
  bucket: integer(),
  splitKey: nullable(text()),
  part: integer(),
  latencies: text(),
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
});
const ENDS = shapeOf({ first: nullable(integer()), last: nullable(integer()) });
export type SumsRow = RowOfShape<typeof BUCKET_SUMS>;

type KeptSplit = (typeof KEPT_SPLITS)[number];
const keptSplit = (split: Split | undefined): KeptSplit | undefined => KEPT_SPLITS.find((one) => one === split);

/** Whether sums that are kept answer a question, so that nearly nothing of the range is read. */
export const isKept = ({ of, split, trace }: Pick<SeriesQuery, 'of' | 'split' | 'trace'>): boolean =>
  of !== 'traces' && !isNarrow(trace) && (split === undefined || keptSplit(split.by) !== undefined);

/** What rows of the roll-up, and spans, are split by; rows are grouped by the column, in whose order they come. */
const KEYS: Readonly<Record<KeptSplit, { column: Sql; rollup: Sql; span: Sql }>> = {
  model: {
    column: rawSql('r.model'),
    rollup: rawSql(`case when r.model = '' then null else substr(r.model, 2) end`),
    span: rawSql('model'),
  },
  provider: {
    column: rawSql('r.provider'),
    rollup: rawSql(`case when r.provider = '' then null else substr(r.provider, 2) end`),
    span: rawSql('provider'),
  },
  status: {
    column: rawSql('r.status'),
    rollup: rawSql('cast(r.status as text)'),
    span: rawSql('cast(status as text)'),
  },
};
const NO_KEY = { rollup: rawSql('cast(null as text)'), span: rawSql('cast(null as text)') };

/** Histograms of rows and exact latencies of spans, and how those of several are added up. */
const LATENCIES = {
  rollup: rawSql(`string_agg(r.latencies, '')`),
  span: rawSql(`coalesce('=' || cast(duration_ms as text) || ' ', '')`),
  sum: rawSql(`string_agg(latencies, '')`),
};
const NO_LATENCIES = { rollup: rawSql(`''`), span: rawSql(`''`), sum: rawSql(`''`) };

/**
 * What the rows of a bucket of the roll-up, `r`, add to the sums of a bucket of the answer: added up in the order of
 * the key, which needs no sorting. Statuses are tracing's: 0 running, 2 failed.
 */
const OF_ROLLUP = rawSql(`sum(r.span_count) as spans, sum(r.tokens) as tokens,
  sum(r.input_tokens) as input_tokens, sum(r.cached_tokens) as cached_tokens,
  sum(case when r.status <> 0 then r.span_count else 0 end) as finished, sum(r.duration_ms) as duration_ms,
  sum(case when r.status = 2 then r.span_count else 0 end) as errors,
  sum(r.cost_count) as priced, sum(r.unpriced_count) as unpriced, sum(r.cost_usd) as usd,
  sum(r.cost_pico / 1000000) as micro, sum(r.cost_pico % 1000000) as pico`);

const OF_SPAN = rawSql(`1 as spans, coalesce(cast(total_tokens as double precision), 0) as tokens,
  coalesce(cast(input_tokens as double precision), 0) as input_tokens,
  coalesce(cast(cached_tokens as double precision), 0) as cached_tokens,
  case when status <> 0 then 1 else 0 end as finished,
  coalesce(cast(duration_ms as double precision), 0) as duration_ms,
  case when status = 2 then 1 else 0 end as errors,
  costs as priced, unpriced, usd, pico / 1000000 as micro, pico % 1000000 as pico`);

const SUMS = rawSql(`sum(spans) as spans, sum(tokens) as tokens, sum(input_tokens) as "inputTokens",
  sum(cached_tokens) as "cachedTokens", sum(finished) as finished, sum(duration_ms) as "durationMs", sum(errors) as errors,
  sum(priced) as priced, sum(unpriced) as unpriced, sum(usd) as usd, sum(micro) as micro, sum(pico) as pico`);
/** The same, under the names of the columns that are added up. */
const ADDED = rawSql(
  ['spans', 'tokens', 'input_tokens', 'cached_tokens', 'finished', 'duration_ms', 'errors', 'priced', 'unpriced', 'usd']
    .concat('micro', 'pico')
    .map((column) => `sum(${column}) as ${column}`)
    .join(', '),
);

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
  async sums(scope: Scope, query: SeriesQuery, options: LongReadOptions): Promise<SumsRow[]> {
    const { of, split, model, provider, trace } = query;
    const names = [model, provider, ...Object.values(trace ?? {})];
    if (names.some((name) => name !== undefined && !isStorableText(name))) return [];
    const own = of === 'traces' ? undefined : keptSplit(split?.by);
    const ofTraces = split && own === undefined ? (split.by as TraceKey) : undefined;
    if (isKept(query)) return this.kept(scope, query, own, options);
    const inRange = of === 'traces' ? tracesInRange : spansInRange;
    const { rows, values } = inRange(scope, finite(query.range), {
      model,
      provider,
      trace,
      isCalls: of === 'llm_calls',
    });
    const part = partOf(query, own ? KEYS[own].span : NO_KEY.span, values);
    const statement = ofTraces ? byKeyOfTrace(query, keysOfTraces(scope, ofTraces), part) : added(query, part);
    return this.scans.read(rows, statement, options);
  }

  /** The whole hours from the first to the last span, in milliseconds; without spans nothing. */
  async ends({ projectId }: Scope, options: LongReadOptions): Promise<TimeRange> {
    const ofHours = sql`from analytics_rollup where project_id = ${projectId} and grain = ${GRAIN.wholeHour}`;
    const [ends] = await this.reads.read(
      rawSql('select 1 as one where 1 = 0'),
      ENDS.query`select (select min(bucket) ${ofHours}) as first, (select max(bucket) ${ofHours}) as last`,
      options,
    );
    return { from: ends?.first ?? 0, until: typeof ends?.last === 'number' ? ends.last + HOUR_MS : 0 };
  }

  private kept(scope: Scope, query: SeriesQuery, split: KeptSplit | undefined, options: LongReadOptions) {
    const { width, of, model, provider } = query;
    const { days, hours, minutes, spans } = planRange(query.range, width === 'whole' ? 'day' : width);
    const isNamed = of === 'llm_calls' || [model, provider].some((name) => name !== undefined);
    const hour = isNamed || split === 'model' || split === 'provider' ? GRAIN.hour : GRAIN.wholeHour;
    const rollups = [
      { grain: GRAIN.day, range: days },
      ...hours.map((range) => ({ grain: hour, range })),
      { grain: GRAIN.minute, range: minutes },
    ].map(({ grain, range }) => rollupsIn(scope, grain, range));
    const key = split ? KEYS[split] : NO_KEY;
    const grouping = split ? sql`r.bucket, ${KEYS[split].column}` : rawSql('r.bucket');
    const latencies = query.percentiles ? LATENCIES : NO_LATENCIES;
    const filters = { model, provider, isCalls: of === 'llm_calls' };
    const spanParts = spans.map((range) => spansInRange(scope, finite(range), filters));
    const parts = [
      ...rollups.map(
        (from) =>
          sql`select ${bucketOf('r.bucket', width)} as bucket, null as trace_id, ${key.rollup} as name, ${latencies.rollup} as latencies,
            ${OF_ROLLUP} ${from}${rollupsOf(query)} group by ${grouping}`,
      ),
      ...spanParts.map(({ values }) => partOf(query, key.span, values)),
    ];
    return this.reads.read(
      union([...rollups.map((from) => sql`select 1 as one ${from}`), ...spanParts.map(({ rows }) => rows)]),
      added(query, union(parts)),
      options,
    );
  }
}

/** A part of the sums: one row for each span or trace. @param key its name, by which it is split. */
const partOf = ({ width, percentiles }: SeriesQuery, key: Sql, values: Sql): Sql =>
  sql`select ${bucketOf('started_at', width)} as bucket, trace_id, ${key} as name,
    ${(percentiles ? LATENCIES : NO_LATENCIES).span} as latencies, ${OF_SPAN} from (${values}) priced`;

/** Adds parts up, by their own keys where the query splits. */
function added({ split, percentiles, rowsMax }: SeriesQuery, parts: Sql): Query<SumsRow> {
  const { sum } = percentiles ? LATENCIES : NO_LATENCIES;
  return split
    ? BUCKET_SUMS.query`with parts as (${parts}), ranked as (select name, ${PLACE} as place from parts
          where name is not null group by name)
        select bucket, ranked.name as "splitKey", ${rawSql(`${PART.both}`)} as part, ${sum} as latencies, ${SUMS}
        from parts left join ranked on ranked.name = parts.name and ranked.place <= ${split.top}
        group by bucket, ranked.name, ranked.place order by bucket, coalesce(ranked.place, ${TOP_MAX + 1})
        limit ${rowsMax + 1}`
    : BUCKET_SUMS.query`select bucket, cast(null as text) as "splitKey", ${rawSql(`${PART.bucket}`)} as part,
        ${sum} as latencies, ${SUMS} from (${parts}) parts group by bucket order by bucket limit ${rowsMax + 1}`;
}

/**
 * Adds up by keys of traces, of which each may have several: its sums count for each key that is distinguished, for none of
 * them where it has no such key, and in the bucket once.
 */
function byKeyOfTrace({ split, percentiles, rowsMax }: SeriesQuery, keys: Sql, part: Sql): Query<SumsRow> {
  const { sum } = percentiles ? LATENCIES : NO_LATENCIES;
  return BUCKET_SUMS.query`with parts as (select bucket, trace_id, ${sum} as latencies, ${ADDED} from (${part}) one
        group by trace_id, bucket),
      keyed as (${keys}),
      ranked as (select name, ${PLACE} as place from parts join keyed on keyed.trace_id = parts.trace_id
        where name is not null group by name),
      chosen as (select keyed.trace_id, ranked.name, ranked.place from ranked join keyed on keyed.name = ranked.name
        where ranked.place <= ${split!.top})
    select bucket, "splitKey", part, latencies, spans, tokens, "inputTokens", "cachedTokens", finished, "durationMs", errors,
      priced, unpriced, usd, micro, pico
    from (
      select bucket, cast(null as text) as "splitKey", ${rawSql(`${PART.bucket}`)} as part, 0 as place, ${sum} as latencies,
        ${SUMS} from parts group by bucket
      union all
      select bucket, chosen.name as "splitKey", ${rawSql(`${PART.key}`)} as part,
        coalesce(chosen.place, ${TOP_MAX + 1}) as place, ${sum} as latencies, ${SUMS}
      from parts left join chosen on chosen.trace_id = parts.trace_id group by bucket, chosen.name, chosen.place
    ) summed order by bucket, place limit ${rowsMax + 1}`;
}

/** Which rank a key has: the one that cost most in the range comes first. */
const PLACE = rawSql(`row_number() over (
  order by sum(usd) * 1000000.0 + sum(micro) + sum(pico) / 1000000.0 desc, sum(spans) desc, name)`);

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

const finite = ({ from, until }: TimeRange): TimeRange => ({ from: safe(from), until: safe(until) });
const safe = (epochMs: number): number => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, epochMs));

/** Moves times behind zero, where dividing whole numbers rounds down: beyond the year 1, and whole weeks. */
const SHIFT_MS = 200_000 * BUCKET.week.widthMs;

/** Start of the bucket of a time. In whole numbers written out: a parameter would be a double. */
export function bucketOf(column: string, width: BucketWidth | 'whole'): Sql {
  if (width === 'whole') return rawSql('0');
  const { widthMs, originMs } = BUCKET[width];
  const shift = SHIFT_MS - originMs;
  return rawSql(`(${column} + ${shift}) / ${widthMs} * ${widthMs} - ${shift}`);
}
