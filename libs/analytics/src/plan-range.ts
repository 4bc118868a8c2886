import type { BucketWidth } from '@spandrel/contract';

/** From inclusive, until exclusive, in milliseconds since the epoch; may be infinite. Empty when `from` is not before. */
export interface TimeRange {
  from: number;
  until: number;
}

/** Where the spans of a range are counted: each of its milliseconds in exactly one of the parts. */
export interface RangePlan {
  days: TimeRange;
  hours: readonly [TimeRange, TimeRange];
  /** Whole minutes, from the roll-up of minutes, which buckets of minutes alone are made of. */
  minutes: TimeRange;
  /** Parts of an hour, or of a minute, at the two ends, from the spans themselves. */
  spans: readonly [TimeRange, TimeRange];
}

const NOTHING: TimeRange = { from: 0, until: 0 };
const NO_ROLLUPS = { days: NOTHING, hours: [NOTHING, NOTHING], minutes: NOTHING } as const;

/** Splits a range into what the roll-ups know and what only the spans do. @param range not empty. */
export function planRange({ from, until }: TimeRange, width: BucketWidth): RangePlan {
  const unit = width === 'minute' ? 'minute' : 'hour';
  const firstWhole = nextBucketStart(from, unit);
  const endOfWhole = bucketStart(until, unit);
  if (firstWhole > endOfWhole) return { ...NO_ROLLUPS, spans: [{ from, until }, NOTHING] };
  const spans = [
    { from, until: firstWhole },
    { from: endOfWhole, until },
  ] as const;
  const whole = { from: firstWhole, until: endOfWhole };
  if (width === 'minute') return { ...NO_ROLLUPS, minutes: whole, spans };
  const firstDay = nextBucketStart(firstWhole, 'day');
  const endOfDays = bucketStart(endOfWhole, 'day');
  if (width === 'hour' || firstDay > endOfDays) {
    return { ...NO_ROLLUPS, hours: [whole, NOTHING], spans };
  }
  return {
    ...NO_ROLLUPS,
    days: { from: firstDay, until: endOfDays },
    hours: [
      { from: firstWhole, until: firstDay },
      { from: endOfDays, until: endOfWhole },
    ],
    spans,
  };
}

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
