import { dayOf, dayStart, type DaySize } from '@spandrel/storage';
import type { SortOrder } from '@spandrel/contract';
import type { StartRange } from './span-candidates.store.js';

/**
 * The first part of a range of starts, in list order, whose payloads are looked through by one statement: whole days of
 * up to `bytesMax` together, at least one, and what lies between them.
 * @param sizes of the days that have partitions, oldest first.
 */
export function firstScan(
  order: SortOrder,
  { from, until }: StartRange,
  sizes: readonly DaySize[],
  bytesMax: number,
): StartRange & { bytes: number } {
  const inRange = sizes.filter(
    ({ day }) => (until === undefined || dayStart(day) < until) && (from === undefined || day >= dayOf(from)),
  );
  const days = order === 'desc' ? inRange.toReversed() : inRange;
  let bytes = 0;
  let taken = 0;
  for (const one of days) {
    if (taken > 0 && bytes + one.bytes > bytesMax) break;
    bytes += one.bytes;
    taken++;
  }
  if (taken === days.length) return { from, until, bytes };
  const next = days[taken]!.day;
  return order === 'desc' ? { from: dayStart(next + 1), until, bytes } : { from, until: dayStart(next), bytes };
}
