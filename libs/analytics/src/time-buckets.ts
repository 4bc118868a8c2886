import type { BucketWidth } from '@spandrel/contract';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Widths of the buckets, and a moment at which one starts: weeks on a Monday, as 1969-12-29 was. */
export const BUCKET = {
  minute: { widthMs: MINUTE_MS, originMs: 0 },
  hour: { widthMs: HOUR_MS, originMs: 0 },
  day: { widthMs: DAY_MS, originMs: 0 },
  week: { widthMs: 7 * DAY_MS, originMs: -3 * DAY_MS },
} as const satisfies Record<BucketWidth, { widthMs: number; originMs: number }>;

/** Start of the bucket that a moment is in. @param epochMs milliseconds since the epoch, also before it; ±Infinity stays. */
export function bucketStart(epochMs: number, width: BucketWidth): number {
  const { widthMs, originMs } = BUCKET[width];
  return Math.floor((epochMs - originMs) / widthMs) * widthMs + originMs;
}

/** The first start of a bucket that is not before a moment. */
export function nextBucketStart(epochMs: number, width: BucketWidth): number {
  const { widthMs, originMs } = BUCKET[width];
  return Math.ceil((epochMs - originMs) / widthMs) * widthMs + originMs;
}
