import { dayOf, dayStart, type DaySize, type Position } from '@spandrel/storage';
import type { SortOrder } from '@spandrel/contract';
import type { SpanQuery, StartRange } from '../span-query.js';

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

/**
 * What is left of a range of starts behind a position of a list in start order.
 * @param position its id is empty at the edge of a scan: descending, no span that starts there is left.
 */
export function rangeBehind({ from, until }: StartRange, order: SortOrder, position: Position | undefined): StartRange {
  if (position === undefined) return { from, until };
  const start = Number(position.value);
  return order === 'desc'
    ? { from, until: Math.min(until ?? Infinity, position.id === '' ? start : start + 1) }
    : { from: Math.max(from ?? -Infinity, start), until };
}

/** The earliest and latest start that the spans of a list can have. */
export function listStarts({ since, until, within }: SpanQuery): StartRange {
  const from = Math.max(since ?? -Infinity, within?.from ?? -Infinity);
  const end = Math.min(until ?? Infinity, within?.until ?? Infinity);
  return { from: from === -Infinity ? undefined : from, until: end === Infinity ? undefined : end };
}
