import type { ListSpans } from '@spandrel/contract';
import { dayOf, dayStart, type Position } from '@spandrel/storage';
import type { StartRange } from './span-query.js';

/** Days of the windows, in list order; one more takes all that is left. */
export const WINDOW_DAYS: readonly number[] = [2, 14];
/** Windows pay from so many partitions on: a statement over fewer of them is planned as quickly. */
export const PARTITIONS_MIN = 8;

/**
 * Ranges of starts, each of whole days, that a list in start order is read in, one after the other: a page is as a rule
 * full after the first, and a statement that says which days it is about is planned for their partitions alone.
 * @param from the position behind which the list begins.
 * @param windowDays days of the windows before the last.
 * @param ends the oldest day with spans, and the newest, as far as is known: only how soon rows are found hangs on it.
 */
export function startWindows(
  { since, until, sort_order: order }: Pick<ListSpans, 'since' | 'until' | 'sort_order'>,
  from: Position | undefined,
  ends: { oldest: number; newest: number },
  windowDays = WINDOW_DAYS,
): StartRange[] {
  const at = from === undefined ? undefined : dayOf(Number(from.value));
  const low = since === undefined ? undefined : dayOf(since);
  const high = until === undefined ? undefined : dayOf(until);
  const windows: StartRange[] = [];
  if (order === 'desc') {
    const start = Math.min(at ?? Infinity, high ?? Infinity);
    let past = start === Infinity ? undefined : dayStart(start + 1);
    let edge = start === Infinity ? ends.newest : start;
    for (const days of windowDays) {
      edge -= days;
      if (low !== undefined && edge < low) break;
      windows.push({ from: dayStart(edge + 1), until: past });
      past = dayStart(edge + 1);
    }
    windows.push({ from: low === undefined ? undefined : dayStart(low), until: past });
    return windows;
  }
  const start = Math.max(at ?? -Infinity, low ?? -Infinity);
  let first = start === -Infinity ? undefined : dayStart(start);
  let edge = start === -Infinity ? ends.oldest : start;
  for (const days of windowDays) {
    edge += days;
    if (high !== undefined && edge > high) break;
    windows.push({ from: first, until: dayStart(edge) });
    first = dayStart(edge);
  }
  windows.push({ from: first, until: high === undefined ? undefined : dayStart(high + 1) });
  return windows;
}
