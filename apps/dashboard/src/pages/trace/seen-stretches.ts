import type { Stretch } from './span-times.js';

/** Elements of one row at most, and the share of the range below which stretches are drawn as one. */
const DRAWN_MAX = 200;
const NARROW = 1 / 1_000;

/** Stretches of a range as they can be told apart on a screen, in the order of time: neighbours become one. */
export function seenStretches(stretches: readonly Stretch[], range: Stretch): Stretch[] {
  const gap = (range.to - range.from) * NARROW;
  const seen: Stretch[] = [];
  for (const { from, to } of inOrder(stretches)) {
    if (to <= range.from || from >= range.to) continue;
    const last = seen.at(-1);
    if (last !== undefined && (from - last.to < gap || seen.length === DRAWN_MAX)) last.to = Math.max(last.to, to);
    else seen.push({ from, to });
  }
  return seen;
}

/** Lists are in the order of time, forwards or backwards. */
function inOrder(stretches: readonly Stretch[]): readonly Stretch[] {
  const [first, last] = [stretches[0], stretches.at(-1)];
  return first !== undefined && first.from > last!.from ? stretches.toReversed() : stretches;
}

/** Where a stretch lies in a range, as shares of it; only what is within. */
export function shareOf({ from, to }: Stretch, range: Stretch): { left: number; width: number } {
  const length = range.to - range.from;
  const left = Math.max(0, (from - range.from) / length);
  return { left, width: Math.max(0, Math.min(1, (to - range.from) / length) - left) };
}
