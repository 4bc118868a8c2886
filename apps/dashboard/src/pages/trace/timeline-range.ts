import { isLlmCall, statusWordOf } from '../../features/trace-span.js';
import type { Stretch, SpanTimes } from './span-times.js';
import type { SpanTree } from './span-tree.js';

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

/** What a cell of the minimap shows: the most telling of the spans that are in it. */
export const CELL = { empty: 0, span: 1, call: 2, failed: 3 } as const;

/**
 * The whole trace in a grid of cells, row by row: time from left to right, spans by their place from top to bottom.
 * Takes time proportional to the number of spans and of cells, however long the spans are.
 */
export function minimapCells(tree: SpanTree, times: SpanTimes, columns: number, rows: number): Uint8Array {
  const cells = new Uint8Array(columns * rows);
  for (const kind of [CELL.span, CELL.call, CELL.failed]) {
    const changes = changesOf(tree, times, columns, rows, kind);
    for (let row = 0; row < rows; row++) {
      let spans = 0;
      for (let column = 0; column < columns; column++) {
        spans += changes[row * (columns + 1) + column]!;
        if (spans > 0) cells[row * columns + column] = kind;
      }
    }
  }
  return cells;
}

/** How many spans of a kind begin at, less those that end before, a cell. */
function changesOf(tree: SpanTree, { start, end, total }: SpanTimes, columns: number, rows: number, kind: number) {
  const changes = new Int32Array((columns + 1) * rows);
  const scale = total > 0 ? columns / total : 0;
  const rowScale = rows / Math.max(tree.spans.length, 1);
  for (const [place, span] of tree.spans.entries()) {
    const found = statusWordOf(span) === 'failed' ? CELL.failed : isLlmCall(span) ? CELL.call : CELL.span;
    if (found !== kind) continue;
    const offset = Math.floor(place * rowScale) * (columns + 1);
    const first = Math.min(columns - 1, Math.floor(start[place]! * scale));
    const last = Math.max(first, Math.min(columns, Math.ceil(end[place]! * scale)) - 1);
    changes[offset + first]!++;
    changes[offset + last + 1]!--;
  }
  return changes;
}

/** Elements of one row at most, and the share of the range below which stretches are drawn as one. */
const DRAWN_MAX = 200;
const NARROW = 1 / 1_000;

/** Stretches of a range as they can be distinguished on a screen, in the order of time: neighbours become one. */
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
