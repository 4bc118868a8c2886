/** What is left in a bucket. */
export interface Bucket {
  tokens: number;
  /** Moment at which the bucket held `tokens`, in microseconds of any one clock. */
  at: number;
}

/** What a bucket says to one request. */
export interface Taken {
  allowed: boolean;
  /** Whole tokens that are left. */
  remaining: number;
}

/**
 * Takes a token from a bucket that holds one second's worth and fills evenly
 * (docs/spec/limits.md#requests-of-an-organization): in no span of `t` seconds it gives more than
 * `perSecond × (1 + t)`. A refused request takes nothing.
 * @param bucket changed in place; `undefined` for one that was not used for a second or more: it is full.
 * @param perSecond the rate now; it may differ from the rate before.
 * @param now moment on the bucket's clock; a clock that has gone back fills nothing.
 */
export function takeToken(bucket: Bucket | undefined, perSecond: number, now: number): Taken & { bucket: Bucket } {
  const filled = bucket ? bucket.tokens + (Math.max(0, now - bucket.at) * perSecond) / 1_000_000 : perSecond;
  const tokens = Math.min(perSecond, filled);
  const allowed = tokens >= 1;
  const left = allowed ? tokens - 1 : tokens;
  return { allowed, remaining: Math.floor(left), bucket: { tokens: left, at: now } };
}
