import { Injectable } from '@nestjs/common';
import { BUCKETS_MAX, isStorableText, type BucketWidth } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  integer,
  joinSql,
  number,
  rawSql,
  shapeOf,
  sql,
  type LongReadOptions,
  type RowOfShape,
  type Sql,
} from '@spandrel/storage';
import { spansInRange } from '@spandrel/tracing';
import { planRange, type TimeRange } from './plan-range.js';
import { nameKey } from './rollup-deltas.js';
import { GRAIN, type Grain } from './rollup.entity.js';
import { BUCKET } from './time-buckets.js';
import { WeighedRead } from './weighed-read.sql.js';

/** What a time series is asked for. */
export interface SeriesQuery {
  /** Not empty; may be infinite. */
  range: TimeRange;
  width: BucketWidth;
  model: string | undefined;
  provider: string | undefined;
}

/** `bucket` is its start in milliseconds since the epoch. */
const BUCKET_SUMS = shapeOf({
  bucket: integer(),
  spans: integer(),
  tokens: number(),
  finished: integer(),
  durationMs: number(),
  errors: integer(),
  priced: integer(),
  unpriced: integer(),
  usd: integer(),
  micro: integer(),
  pico: integer(),
});
export type BucketSums = RowOfShape<typeof BUCKET_SUMS>;

/**
 * What the rows of a bucket of the roll-up, `r`, add to the sums of a bucket of the answer: added up in the order of
 * the key, which needs no sorting. Statuses are tracing's: 0 running, 2 failed.
 */
const OF_ROLLUP = rawSql(`sum(r.span_count) as spans, sum(r.tokens) as tokens,
  sum(case when r.status <> 0 then r.span_count else 0 end) as finished, sum(r.duration_ms) as duration_ms,
  sum(case when r.status = 2 then r.span_count else 0 end) as errors,
  sum(r.cost_count) as priced, sum(r.unpriced_count) as unpriced, sum(r.cost_usd) as usd,
  sum(r.cost_pico / 1000000) as micro, sum(r.cost_pico % 1000000) as pico`);

/** What a span adds, from `priced`. */
const OF_SPAN = rawSql(`1 as spans, coalesce(cast(total_tokens as double precision), 0) as tokens,
  case when status <> 0 then 1 else 0 end as finished,
  coalesce(cast(duration_ms as double precision), 0) as duration_ms,
  case when status = 2 then 1 else 0 end as errors,
  costs as priced, unpriced, usd, pico / 1000000 as micro, pico % 1000000 as pico`);

const SUMS = rawSql(`sum(spans) as spans, sum(tokens) as tokens, sum(finished) as finished,
  sum(duration_ms) as "durationMs", sum(errors) as errors, sum(priced) as priced, sum(unpriced) as unpriced, sum(usd) as usd, sum(micro) as micro, sum(pico) as pico`);

/**
 * Sums by hour, day or week (docs/spec/analytics.md#buckets), from the roll-ups of whole days and hours and the
 * spans of the two hours that a range cuts, in one statement.
 */
@Injectable()
export class TimeSeriesStore {
  constructor(private readonly reads: WeighedRead) {}

  /** @returns the buckets that have spans, oldest first; one more than an answer may have when there are more. */
  async buckets(scope: Scope, query: SeriesQuery, options: LongReadOptions): Promise<BucketSums[]> {
    const { width, model, provider } = query;
    if ([model, provider].some((name) => name !== undefined && !isStorableText(name))) return [];
    const { days, hours, spans } = planRange(query.range, width);
    const hour = model === undefined && provider === undefined ? GRAIN.wholeHour : GRAIN.hour;
    const rollups = [{ grain: GRAIN.day, range: days }, ...hours.map((range) => ({ grain: hour, range }))].map(
      ({ grain, range }) => rollupsIn(scope, grain, range),
    );
    const spanParts = spans.map((range) => spansInRange(scope, finite(range), query));
    const parts = [
      ...rollups.map(
        (from) =>
          sql`select ${bucketOf('r.bucket', width)} as bucket, ${OF_ROLLUP} ${from}${rollupsOf(query)} group by r.bucket`,
      ),
      ...spanParts.map(
        ({ values }) => sql`select ${bucketOf('started_at', width)} as bucket, ${OF_SPAN} from (${values}) priced`,
      ),
    ];
    return this.reads.read(
      union([...rollups.map((from) => sql`select 1 as one ${from}`), ...spanParts.map(({ rows }) => rows)]),
      BUCKET_SUMS.query`select bucket, ${SUMS} from (${union(parts)}) parts group by bucket order by bucket limit ${BUCKETS_MAX + 1}`,
      options,
    );
  }
}

const union = (parts: readonly Sql[]): Sql => joinSql(parts, ' union all ');

/** Rows of the roll-up that the query goes through: in the order of the key those of all names lie together. */
function rollupsIn(scope: Scope, grain: Grain, range: TimeRange): Sql {
  const { from, until } = finite(range);
  return sql`from analytics_rollup r where r.project_id = ${scope.projectId}
    and r.grain = ${grain} and r.bucket >= ${from} and r.bucket < ${until}`;
}

/** Conditions for the rows that count. */
function rollupsOf({ model, provider }: SeriesQuery): Sql {
  const conditions: Sql[] = [];
  if (model !== undefined) conditions.push(sql` and r.model = ${nameKey(model)}`);
  if (provider !== undefined) conditions.push(sql` and r.provider = ${nameKey(provider)}`);
  return joinSql(conditions, '');
}

const finite = ({ from, until }: TimeRange): TimeRange => ({ from: safe(from), until: safe(until) });
const safe = (epochMs: number): number => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, epochMs));

/** Moves times behind zero, where dividing whole numbers rounds down: beyond the year 1, and whole weeks. */
const SHIFT_MS = 200_000 * BUCKET.week.widthMs;

/** Start of the bucket of a time. In whole numbers written out: a parameter would be a double. */
export function bucketOf(column: string, width: BucketWidth): Sql {
  const { widthMs, originMs } = BUCKET[width];
  const shift = SHIFT_MS - originMs;
  return rawSql(`(${column} + ${shift}) / ${widthMs} * ${widthMs} - ${shift}`);
}
