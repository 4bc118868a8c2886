import { takeToken, type Bucket, type Taken } from './token-bucket.js';

/** Number of buckets beyond which those that are full again are forgotten. */
const BUCKETS_KEPT = 10_000;
const FULL_AFTER_MICROS = 1_000_000;

/** The buckets of one process, for where there is no Redis. */
export class LocalBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private sweepAt = BUCKETS_KEPT;

  /** @param micros a clock that never goes back. */
  constructor(private readonly micros: () => number = () => performance.now() * 1_000) {}

  take(orgId: string, perSecond: number): Taken {
    const now = this.micros();
    const { bucket, ...taken } = takeToken(this.buckets.get(orgId), perSecond, now);
    this.buckets.set(orgId, bucket);
    if (this.buckets.size > this.sweepAt) this.sweep(now);
    return taken;
  }

  get size(): number {
    return this.buckets.size;
  }

  private sweep(now: number): void {
    for (const [orgId, { at }] of this.buckets) if (now - at >= FULL_AFTER_MICROS) this.buckets.delete(orgId);
    this.sweepAt = Math.max(BUCKETS_KEPT, this.buckets.size * 2);
  }
}
