import type { Stretch } from './span-times.js';

/** A key press brings so much of the range nearer. */
const ZOOM_STEP = 2;
/** Share of a fitted span that is left free at each side. */
const MARGIN = 0.05;
/** The shortest range, in milliseconds: the wire knows no time between two of them. */
const LENGTH_MIN = 0.1;

/** The range with all of the trace in it. A trace without a length has one nonetheless, so that it can be drawn. */
export const wholeRange = (total: number): Stretch => ({ from: 0, to: Math.max(total, LENGTH_MIN) });

/** Zooms around the middle. */
export function zoom({ from, to }: Stretch, total: number, direction: 'in' | 'out'): Stretch {
  const half = ((to - from) / 2) * (direction === 'in' ? 1 / ZOOM_STEP : ZOOM_STEP);
  const middle = (from + to) / 2;
  return within({ from: middle - half, to: middle + half }, total);
}

/** The range that shows one stretch with a little room around it. */
export function fit({ from, to }: Stretch, total: number): Stretch {
  const room = Math.max((to - from) * MARGIN, LENGTH_MIN / 2);
  return within({ from: from - room, to: to + room }, total);
}

/** Moves one edge, which stays before, or behind, the other. */
export function moveEdge(range: Stretch, total: number, edge: keyof Stretch, to: number): Stretch {
  const whole = wholeRange(total);
  if (edge === 'from') return { ...range, from: clamp(to, 0, range.to - LENGTH_MIN) };
  return { ...range, to: clamp(to, range.from + LENGTH_MIN, whole.to) };
}

/** Keeps the length of a range where the trace has room for it, and moves it into the trace. */
function within({ from, to }: Stretch, total: number): Stretch {
  const whole = wholeRange(total);
  const length = clamp(to - from, LENGTH_MIN, whole.to);
  const start = clamp(from + (to - from - length) / 2, 0, whole.to - length);
  return { from: start, to: start + length };
}

/** Moments to write along a range: round numbers, at most `most` of them. */
export function ticksOf({ from, to }: Stretch, most: number): number[] {
  const step = roundStep((to - from) / Math.max(1, most));
  const ticks: number[] = [];
  for (let index = Math.ceil(from / step); index * step <= to && ticks.length < most; index++) {
    ticks.push(Number((index * step).toPrecision(12)));
  }
  return ticks;
}

/** The next of 1, 2 and 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = least / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

/** Elements of one row at most, and the share of the range below which stretches are drawn as one. */
const DRAWN_MAX = 200;
const NARROW = 1 / 1_000;

/** Stretches of a range as they can be distinguished on a screen: neighbours become one. @param stretches in the order of time. */
export function seenStretches(stretches: readonly Stretch[], range: Stretch): Stretch[] {
  const gap = (range.to - range.from) * NARROW;
  const seen: Stretch[] = [];
  for (const { from, to } of stretches) {
    if (to <= range.from || from >= range.to) continue;
    const last = seen.at(-1);
    if (last !== undefined && (from - last.to < gap || seen.length === DRAWN_MAX)) last.to = Math.max(last.to, to);
    else seen.push({ from, to });
  }
  return seen;
}

/** Where a stretch lies in a range, as shares of it; only what is within. */
export function shareOf({ from, to }: Stretch, range: Stretch): { left: number; width: number } {
  const length = range.to - range.from;
  const left = Math.max(0, (from - range.from) / length);
  return { left, width: Math.max(0, Math.min(1, (to - range.from) / length) - left) };
}
