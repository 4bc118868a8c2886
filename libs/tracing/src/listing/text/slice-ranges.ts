import type { AskedSlice } from '../../text-slices/asked-slices.sql.js';
import type { SliceRange } from '../../text-slices/text-slice.store.js';

/** A range of starts that a search has to look through, and how many spans it has, where a slice says it. */
export interface ReadRange extends SliceRange {
  spans: number | undefined;
}

/** With so many late spans a slice is read as a whole. */
const LATE_MAX = 50;

/**
 * What a search has to look through, oldest first: all but the slices which say that they have nothing, and in these the
 * spans that are late.
 * @param whole the starts that the list can have.
 * @param slices that have to do with it, and that do not overlap, oldest first.
 * @param late starts of late spans, in order.
 */
export function rangesToRead(whole: SliceRange, slices: readonly AskedSlice[], late: readonly number[]): ReadRange[] {
  const ranges: ReadRange[] = [];
  const add = (startedFrom: number, startedUntil: number, spans: number | undefined): void => {
    const [from, until] = [Math.max(startedFrom, whole.startedFrom), Math.min(startedUntil, whole.startedUntil)];
    if (from >= until) return;
    const last = ranges.at(-1);
    if (last?.startedUntil === from && last.spans !== undefined && spans !== undefined) {
      ranges[ranges.length - 1] = { startedFrom: last.startedFrom, startedUntil: until, spans: last.spans + spans };
    } else ranges.push({ startedFrom: from, startedUntil: until, spans });
  };
  let at = whole.startedFrom;
  let next = 0;
  for (const slice of slices) {
    add(at, slice.startedFrom, undefined);
    at = slice.startedUntil;
    while (next < late.length && late[next]! < slice.startedFrom) next++;
    let end = next;
    while (end < late.length && late[end]! < slice.startedUntil) end++;
    const ofSlice = late.slice(next, end);
    next = end;
    if (slice.held === 1 || ofSlice.length > LATE_MAX)
      add(slice.startedFrom, slice.startedUntil, slice.spans + ofSlice.length);
    else for (const [start, some] of Map.groupBy(ofSlice, (one) => one)) add(start, start + 1, some.length);
  }
  add(at, whole.startedUntil, undefined);
  return ranges;
}
