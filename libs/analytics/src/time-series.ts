import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  BUCKETS_MAX,
  formatTimestamp,
  MINUTES_RANGE_MAX_MS,
  PERCENTILE_BUCKETS_MAX,
  TOP_DEFAULT,
  type BucketSeries,
  type BucketSums,
  type BucketWidth,
  type Split,
  type TimeBucket,
  type TimeSeriesQuery,
} from '@spandrel/contract';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { STATUS } from '@spandrel/tracing';
import { LatencyHistogram } from './latency-histogram.js';
import { type TimeRange, BUCKET, bucketStart } from './plan-range.js';
import { addSums, costOfSums, latencyOfSums, noSums, type Sums } from './sums.js';
import { TimeSeriesStore, type SumsRow } from './time-series.store.js';

/** Rows whose histograms are read in one go: a few milliseconds. */
const ROWS_PER_TURN = 200;

interface BucketForm {
  split: Split | undefined;
  percentiles: boolean;
}

const STATUS_NAMES = new Map(Object.entries(STATUS).map(([name, status]) => [String(status), name]));

class BucketParts {
  private readonly sums = noSums();
  private readonly latencies = new LatencyHistogram();
  private readonly series: BucketSeries[] = [];

  constructor(private readonly form: BucketForm) {}

  /** @param row of the bucket; keys in the order of their rank. */
  add(row: SumsRow): void {
    addSums(this.sums, row);
    if (this.form.split === undefined) {
      this.latencies.addText(row.latencies);
      return;
    }
    const latencies = new LatencyHistogram();
    latencies.addText(row.latencies);
    this.latencies.addAll(latencies);
    const key = this.form.split === 'status' ? (STATUS_NAMES.get(row.splitKey ?? '') ?? null) : row.splitKey;
    this.series.push({ key, ...this.sumsToWire(row, latencies) });
  }

  toWire(): Omit<TimeBucket, 'timestamp'> {
    return {
      ...this.sumsToWire(this.sums, this.latencies),
      ...(this.form.split !== undefined && { series: this.series }),
    };
  }

  private sumsToWire(sums: Sums, latencies: LatencyHistogram): BucketSums {
    return {
      span_count: sums.spans,
      cost: costOfSums(sums),
      unpriced_count: sums.unpriced,
      tokens: sums.tokens,
      avg_latency_ms: latencyOfSums(sums),
      error_count: sums.errors,
      ...(this.form.percentiles && latencies.percentiles()),
    };
  }
}

/** `POST /api/analytics` (docs/spec/analytics.md#time-series). */
@Injectable()
export class TimeSeries {
  constructor(private readonly store: TimeSeriesStore) {}

  /** @returns the buckets, oldest first. @throws Invalid when there are too many, or a range by minute is too long. */
  async buckets(scope: Scope, query: TimeSeriesQuery, options: LongReadOptions): Promise<TimeBucket[]> {
    const width = query.group_by ?? 'day';
    const range: TimeRange = { from: query.since ?? -Infinity, until: query.until ?? Infinity };
    if (range.from >= range.until) return [];
    if (width === 'minute') assertShort(range);
    const percentiles = query.percentiles === true;
    const rowsMax = percentiles ? PERCENTILE_BUCKETS_MAX : BUCKETS_MAX;
    if (query.fill) assertCount(bucketsBetween(range.from, range.until - 1, width), rowsMax);
    const split = query.split_by ? { by: query.split_by, top: query.top ?? TOP_DEFAULT } : undefined;
    const model = query.model ?? undefined;
    const provider = query.provider ?? undefined;
    const rows = await this.store.sums(scope, { range, width, model, provider, split, percentiles, rowsMax }, options);
    assertCount(rows.length, rowsMax);
    const form = { split: split?.by, percentiles };
    const found = await bucketsOfRows(rows, form);
    const starts = [...found.keys()];
    return (query.fill ? startsBetween(starts, range, width, rowsMax) : starts).map((start) => ({
      timestamp: formatTimestamp(start),
      ...(found.get(start) ?? new BucketParts(form)).toWire(),
    }));
  }
}

async function bucketsOfRows(rows: readonly SumsRow[], form: BucketForm): Promise<Map<number, BucketParts>> {
  const buckets = new Map<number, BucketParts>();
  for (const [index, row] of rows.entries()) {
    buckets.getOrInsertComputed(row.bucket, () => new BucketParts(form)).add(row);
    if (form.percentiles && index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
  }
  return buckets;
}

/** The starts of all buckets of a range; where it is open, from the first or to the last one with spans. */
function startsBetween(found: readonly number[], range: TimeRange, width: BucketWidth, rowsMax: number): number[] {
  const first = Number.isFinite(range.from) ? bucketStart(range.from, width) : found[0];
  const last = Number.isFinite(range.until) ? bucketStart(range.until - 1, width) : found.at(-1);
  if (first === undefined || last === undefined) return [];
  const count = bucketsBetween(first, last, width);
  assertCount(count, rowsMax);
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * BUCKET[width].widthMs);
}

/** How many buckets two moments and what is between them fall into; `NaN` or infinite for an open range. */
const bucketsBetween = (from: number, to: number, width: BucketWidth): number =>
  (bucketStart(to, width) - bucketStart(from, width)) / BUCKET[width].widthMs + 1;

function assertCount(count: number, most: number): void {
  if (!Number.isFinite(count) || count <= most) return;
  const message = `must not give more than ${most} buckets; ask for a shorter range or wider buckets`;
  throw invalidRequest([{ path: 'group_by', message }]);
}

function assertShort({ from, until }: TimeRange): void {
  if (until - from <= MINUTES_RANGE_MAX_MS) return;
  const message = 'by minute needs since and until, no more than 24 hours apart; ask for a shorter range or for hours';
  throw invalidRequest([{ path: 'group_by', message }]);
}
