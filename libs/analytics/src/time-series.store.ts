import { Injectable } from '@nestjs/common';
import { isStorableText, TOP_MAX, type BucketWidth, type Split } from '@spandrel/contract';
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
  type RowOfShape,
  type Sql,
} from '@spandrel/storage';
import { spansInRange } from '@spandrel/tracing';
import { planRange, type TimeRange, BUCKET } from './plan-range.js';
import { nameKey } from './rollup-deltas.js';
import { GRAIN, type Grain } from './rollup.entity.js';
import { WeighedRead } from './weighed-read.sql.js';

/** What a time series is asked for. */
export interface SeriesQuery {
  /** Not empty; may be infinite. */
  range: TimeRange;
  width: BucketWidth;
  model: string | undefined;
  provider: string | undefined;
  /** What buckets are split by, and how many of its keys are distinguished. */
  split: { by: Split; top: number } | undefined;
  percentiles: boolean;
  /** Rows that are wanted at most; there is one more where there are more. */
  rowsMax: number;
}

/**
 * Sums of a bucket, or of one key in it. `bucket` is its start in milliseconds since the epoch; `splitKey` is `null` for all keys
 * together that are not distinguished, and a status is its number; `latencies` is text of `LatencyHistogram`, empty unless asked for.
 */
const BUCKET_SUMS = shapeOf({
  bucket: integer(),
  splitKey: nullable(text()),
  latencies: text(),
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
export type SumsRow = RowOfShape<typeof BUCKET_SUMS>;

/** What rows of the roll-up, and spans, are split by; rows are grouped by the column, in whose order they come. */
const KEYS: Readonly<Record<Split, { column: Sql; rollup: Sql; span: Sql }>> = {
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
  sum(case when r.status <> 0 then r.span_count else 0 end) as finished, sum(r.duration_ms) as duration_ms,
  sum(case when r.status = 2 then r.span_count else 0 end) as errors,
  sum(r.cost_count) as priced, sum(r.unpriced_count) as unpriced, sum(r.cost_usd) as usd,
  sum(r.cost_pico / 1000000) as micro, sum(r.cost_pico % 1000000) as pico`);

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

  /** @returns the sums of buckets that have spans, oldest first, in each of them keys in the order of their rank. */
  async sums(scope: Scope, query: SeriesQuery, options: LongReadOptions): Promise<SumsRow[]> {
    const { width, model, provider, split } = query;
    if ([model, provider].some((name) => name !== undefined && !isStorableText(name))) return [];
    const { days, hours, minutes, spans } = planRange(query.range, width);
    const byName = split?.by === 'model' || split?.by === 'provider';
    const hour = model === undefined && provider === undefined && !byName ? GRAIN.wholeHour : GRAIN.hour;
    const rollups = [
      { grain: GRAIN.day, range: days },
      ...hours.map((range) => ({ grain: hour, range })),
      { grain: GRAIN.minute, range: minutes },
    ].map(({ grain, range }) => rollupsIn(scope, grain, range));
    const key = split ? KEYS[split.by] : NO_KEY;
    const grouping = split ? sql`r.bucket, ${KEYS[split.by].column}` : rawSql('r.bucket');
    const latencies = query.percentiles ? LATENCIES : NO_LATENCIES;
    const spanParts = spans.map((range) => spansInRange(scope, finite(range), query));
    const parts = [
      ...rollups.map(
        (from) =>
          sql`select ${bucketOf('r.bucket', width)} as bucket, ${key.rollup} as name, ${latencies.rollup} as latencies,
            ${OF_ROLLUP} ${from}${rollupsOf(query)} group by ${grouping}`,
      ),
      ...spanParts.map(
        ({ values }) =>
          sql`select ${bucketOf('started_at', width)} as bucket, ${key.span} as name, ${latencies.span} as latencies,
            ${OF_SPAN} from (${values}) priced`,
      ),
    ];
    return this.reads.read(
      union([...rollups.map((from) => sql`select 1 as one ${from}`), ...spanParts.map(({ rows }) => rows)]),
      split
        ? BUCKET_SUMS.query`with parts as (${union(parts)}), ranked as (select name, ${PLACE} as place from parts
              where name is not null group by name)
            select bucket, ranked.name as "splitKey", ${latencies.sum} as latencies, ${SUMS}
            from parts left join ranked on ranked.name = parts.name and ranked.place <= ${split.top}
            group by bucket, ranked.name, ranked.place order by bucket, coalesce(ranked.place, ${TOP_MAX + 1})
            limit ${query.rowsMax + 1}`
        : BUCKET_SUMS.query`select bucket, cast(null as text) as "splitKey", ${latencies.sum} as latencies, ${SUMS}
            from (${union(parts)}) parts group by bucket order by bucket limit ${query.rowsMax + 1}`,
      options,
    );
  }
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
