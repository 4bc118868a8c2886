import type { BucketWidth } from '@spandrel/contract';
import { rawSql, type Sql } from '@spandrel/storage';
import { BUCKET, type TimeRange } from './plan-range.js';

/** What a span adds to sums. Statuses are tracing's: 0 running, 2 failed. */
export const OF_SPAN = rawSql(`1 as spans, coalesce(cast(total_tokens as double precision), 0) as tokens,
  coalesce(cast(input_tokens as double precision), 0) as input_tokens,
  coalesce(cast(cached_tokens as double precision), 0) as cached_tokens,
  case when status <> 0 then 1 else 0 end as finished,
  coalesce(cast(duration_ms as double precision), 0) as duration_ms,
  case when status = 2 then 1 else 0 end as errors,
  costs as priced, unpriced, usd, pico / 1000000 as micro, pico % 1000000 as pico, 0 as scores,
  cast(0 as double precision) as score_sum`);

/** Without infinite ends, which no statement takes. */
export const finite = ({ from, until }: TimeRange): TimeRange => ({ from: safe(from), until: safe(until) });
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
