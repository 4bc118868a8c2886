import { Injectable } from '@nestjs/common';
import {
  BUCKETS_MAX,
  formatTimestamp,
  type BucketWidth,
  type TimeBucket,
  type TimeSeriesQuery,
} from '@spandrel/contract';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { TimeRange } from './plan-range.js';
import { costOfSums, latencyOfSums } from './sums.js';
import { BUCKET, bucketStart } from './time-buckets.js';
import { TimeSeriesStore, type BucketSums } from './time-series.store.js';

/** `POST /api/analytics` (docs/spec/analytics.md#time-series). */
@Injectable()
export class TimeSeries {
  constructor(private readonly store: TimeSeriesStore) {}

  /** @returns the buckets, oldest first. @throws Invalid when there are more than {@link BUCKETS_MAX}. */
  async buckets(scope: Scope, query: TimeSeriesQuery, options: LongReadOptions): Promise<TimeBucket[]> {
    const width = query.group_by ?? 'day';
    const range: TimeRange = { from: query.since ?? -Infinity, until: query.until ?? Infinity };
    if (range.from >= range.until) return [];
    if (query.fill) assertCount(bucketsBetween(range.from, range.until - 1, width));
    const found = await this.store.buckets(
      scope,
      { range, width, model: query.model ?? undefined, provider: query.provider ?? undefined },
      options,
    );
    assertCount(found.length);
    return query.fill ? filled(found, range, width) : found.map(timeBucket);
  }
}

/** The buckets from the first to the last of a range; where it is open, of those with spans. */
function filled(found: readonly BucketSums[], range: TimeRange, width: BucketWidth): TimeBucket[] {
  const first = Number.isFinite(range.from) ? bucketStart(range.from, width) : found[0]?.bucket;
  const last = Number.isFinite(range.until) ? bucketStart(range.until - 1, width) : found.at(-1)?.bucket;
  if (first === undefined || last === undefined) return [];
  assertCount(bucketsBetween(first, last, width));
  const byStart = new Map(found.map((sums) => [sums.bucket, sums]));
  const buckets: TimeBucket[] = [];
  for (let bucket = first; bucket <= last; bucket += BUCKET[width].widthMs) {
    buckets.push(timeBucket(byStart.get(bucket) ?? { ...NOTHING, bucket }));
  }
  return buckets;
}

/** How many buckets two moments and what is between them fall into; `NaN` or infinite for an open range. */
const bucketsBetween = (from: number, to: number, width: BucketWidth): number =>
  (bucketStart(to, width) - bucketStart(from, width)) / BUCKET[width].widthMs + 1;

/** @throws Invalid */
function assertCount(count: number): void {
  if (!Number.isFinite(count) || count <= BUCKETS_MAX) return;
  const message = `must not give more than ${BUCKETS_MAX} buckets; ask for a shorter range or wider buckets`;
  throw invalidRequest([{ path: 'group_by', message }]);
}

const NOTHING: Omit<BucketSums, 'bucket'> = {
  spans: 0,
  tokens: 0,
  finished: 0,
  durationMs: 0,
  errors: 0,
  priced: 0,
  unpriced: 0,
  usd: 0,
  micro: 0,
  pico: 0,
};

const timeBucket = (sums: BucketSums): TimeBucket => ({
  timestamp: formatTimestamp(sums.bucket),
  span_count: sums.spans,
  cost: costOfSums(sums),
  unpriced_count: sums.unpriced,
  tokens: sums.tokens,
  avg_latency_ms: latencyOfSums(sums),
  error_count: sums.errors,
});
