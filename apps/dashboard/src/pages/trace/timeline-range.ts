import type { Stretch } from './span-times.js';

/** A key press brings so much of the range nearer. */
const ZOOM_STEP = 2;
/** Share of a fitted span that is left free at each side. */
const MARGIN = 0.05;
/** The shortest range, in milliseconds: the wire knows no time between two of them. */
const LENGTH_MIN = 0.1;

/** The range with all of the trace in it. A trace without a length has one nonetheless, so that it can be drawn. */
export const wholeRange = (total: number): Stretch => ({ from: 0, to: Math.max(total, LENGTH_MIN) });

/** Zooms around the middle, or around a moment. */
export function zoom(range: Stretch, total: number, direction: 'in' | 'out', around = (range.from + range.to) / 2) {
  const factor = direction === 'in' ? 1 / ZOOM_STEP : ZOOM_STEP;
  const from = around - (around - range.from) * factor;
  return within({ from, to: from + (range.to - range.from) * factor }, total);
}

/** The range that shows one stretch with a little room around it. */
export function fit({ from, to }: Stretch, total: number): Stretch {
  const room = Math.max((to - from) * MARGIN, LENGTH_MIN / 2);
  return within({ from: from - room, to: to + room }, total);
}

/** Moves the range by a share of its length, no further than the trace goes. */
export function pan({ from, to }: Stretch, total: number, share: number): Stretch {
  const step = (to - from) * share;
  return within({ from: from + step, to: to + step }, total);
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
