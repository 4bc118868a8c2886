import type { Analytics } from './use-analytics.js';
import { WIDTH_MS } from './plan-question.js';

/** The ends of some buckets, those that the range cuts included. @param last is one of them. */
export function rangeOfBuckets(
  { buckets, width, range }: Pick<Analytics, 'buckets' | 'width' | 'range'>,
  first: number,
  last: number,
): { since: string; until: string } {
  const start = Date.parse(buckets[first]!.timestamp);
  const end = Date.parse(buckets[last]!.timestamp) + WIDTH_MS[width];
  const { since, until } = range;
  return {
    since: new Date(since === undefined ? start : Math.max(start, Date.parse(since))).toISOString(),
    until: new Date(until === undefined ? end : Math.min(end, Date.parse(until))).toISOString(),
  };
}
