/** What is left in a bucket that holds one second's worth and fills evenly. */
export interface Bucket {
  tokens: number;
  /** Moment at which the bucket held `tokens`, in microseconds of any one clock. */
  at: number;
}

/**
 * What is in a bucket now (docs/spec/limits.md#requests-of-an-organization).
 * @param bucket `undefined` for one that was not used for long: it is full.
 * @param perSecond the rate now; it may differ from the rate before.
 * @param now moment on the bucket's clock; a clock that has gone back fills nothing.
 */
export function filledTokens(bucket: Bucket | undefined, perSecond: number, now: number): number {
  if (!bucket) return perSecond;
  return Math.min(perSecond, bucket.tokens + (Math.max(0, now - bucket.at) * perSecond) / 1_000_000);
}
