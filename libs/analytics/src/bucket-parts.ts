import type { BucketSeries, BucketSums, Split, TimeBucket } from '@spandrel/contract';
import { STATUS } from '@spandrel/tracing';
import { LatencyHistogram } from './latency-histogram.js';
import { addSums, costOfSums, latencyOfSums, noSums, type Sums } from './sums.js';
import type { SumsRow } from './time-series.store.js';

/** What of a bucket is asked for. */
export interface BucketForm {
  split: Split | undefined;
  percentiles: boolean;
}

/** Keys of the status on the wire, by the number as a text. */
const STATUS_NAMES = new Map(Object.entries(STATUS).map(([name, status]) => [String(status), name]));

/** A bucket of a time series, put together from the sums of its keys. */
export class BucketParts {
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
      ...(this.form.percentiles && percentilesToWire(latencies)),
    };
  }
}

function percentilesToWire(latencies: LatencyHistogram): Pick<BucketSums, 'p50_ms' | 'p95_ms' | 'p99_ms'> {
  const { p50, p95, p99 } = latencies.percentiles();
  return { p50_ms: p50, p95_ms: p95, p99_ms: p99 };
}
