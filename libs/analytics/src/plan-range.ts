import type { BucketWidth } from '@spandrel/contract';
import { bucketStart, nextBucketStart } from './time-buckets.js';

/** From inclusive, until exclusive, in milliseconds since the epoch; may be infinite. Empty when `from` is not before. */
export interface TimeRange {
  from: number;
  until: number;
}

/** Where the spans of a range are counted: each of its milliseconds in exactly one of the parts. */
export interface RangePlan {
  /** Whole days, from the roll-up of days. */
  days: TimeRange;
  /** Whole hours, from the roll-up of hours. */
  hours: readonly [TimeRange, TimeRange];
  /** Parts of an hour at the two ends, from the spans themselves. */
  spans: readonly [TimeRange, TimeRange];
}

const NOTHING: TimeRange = { from: 0, until: 0 };

/** Splits a range into what the roll-ups of days and hours know and what only the spans do. @param range not empty. */
export function planRange({ from, until }: TimeRange, width: BucketWidth): RangePlan {
  const firstHour = nextBucketStart(from, 'hour');
  const endOfHours = bucketStart(until, 'hour');
  if (firstHour > endOfHours) return { days: NOTHING, hours: [NOTHING, NOTHING], spans: [{ from, until }, NOTHING] };
  const spans = [
    { from, until: firstHour },
    { from: endOfHours, until },
  ] as const;
  const firstDay = nextBucketStart(firstHour, 'day');
  const endOfDays = bucketStart(endOfHours, 'day');
  if (width === 'hour' || firstDay > endOfDays) {
    return { days: NOTHING, hours: [{ from: firstHour, until: endOfHours }, NOTHING], spans };
  }
  return {
    days: { from: firstDay, until: endOfDays },
    hours: [
      { from: firstHour, until: firstDay },
      { from: endOfDays, until: endOfHours },
    ],
    spans,
  };
}
