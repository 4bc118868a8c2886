import type { SpanTree } from './span-tree.js';

/** A stretch of time, in milliseconds since the trace began. */
export interface Stretch {
  from: number;
  to: number;
}

/** When the spans of a tree ran, by place, in milliseconds since the trace began. */
export interface SpanTimes {
  readonly total: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Stretches during which no span ran at all. */
  readonly gaps: readonly Stretch[];
}

/** Lays spans out in time. @param now the end of spans that still run, in milliseconds since the epoch. */
export function layOutTimes(tree: SpanTree, now: number): SpanTimes {
  const count = tree.spans.length;
  const first = tree.byStart[0];
  const beganAt = first === undefined ? now : Date.parse(tree.spans[first]!.started_at);
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  let total = 0;
  for (const [place, span] of tree.spans.entries()) {
    start[place] = Date.parse(span.started_at) - beganAt;
    const endedAt = span.ended_at === null ? now : Date.parse(span.ended_at);
    end[place] = Math.max(start[place]!, endedAt - beganAt);
    total = Math.max(total, end[place]!);
  }
  return { total, start, end, gaps: gapsOf(tree, start, end) };
}

function gapsOf({ byStart }: SpanTree, start: Float64Array, end: Float64Array): Stretch[] {
  const gaps: Stretch[] = [];
  let reached = 0;
  for (const place of byStart) {
    if (start[place]! > reached) gaps.push({ from: reached, to: start[place]! });
    reached = Math.max(reached, end[place]!);
  }
  return gaps;
}

/** The stretches of one span during which none of its children ran. */
export function ownStretches(tree: SpanTree, times: SpanTimes, place: number): Stretch[] {
  const stretches: Stretch[] = [];
  const to = times.end[place]!;
  let reached = times.start[place]!;
  for (let child = place + 1; child < tree.end[place]! && reached < to; child = tree.end[child]!) {
    const from = Math.min(times.start[child]!, to);
    if (from > reached) stretches.push({ from: reached, to: from });
    reached = Math.max(reached, times.end[child]!);
  }
  if (reached < to) stretches.push({ from: reached, to });
  return stretches;
}

/**
 * The chain of work that decided how long the trace took (docs/spec/dashboard-trace.md#time-of-a-trace): by the places of
 * spans that are on it their stretches, latest first.
 */
export type CriticalPath = ReadonlyMap<number, readonly Stretch[]>;

const ALL = -1;

/**
 * Finds the critical path by going back from the end: at every moment it is with the child that ran the latest before it,
 * and with the span itself where none did. Takes time proportional to the number of spans, and no recursion.
 */
export function findCriticalPath(tree: SpanTree, times: SpanTimes): CriticalPath {
  const stretches = new Map<number, Stretch[]>();
  const add = (place: number, from: number, to: number): void => {
    if (place === ALL || to <= from) return;
    const known = stretches.get(place);
    if (known) known.push({ from, to });
    else stretches.set(place, [{ from, to }]);
  };
  const open: { place: number; from: number; until: number }[] = [{ place: ALL, from: 0, until: times.total }];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const { place, from, until } = span;
    let reached = until;
    for (const child of lastBefore(tree, times, place, until)) {
      if (times.start[child]! >= reached) continue;
      const childEnd = Math.min(times.end[child]!, reached);
      if (childEnd <= from) break;
      add(place, childEnd, reached);
      const childStart = Math.max(times.start[child]!, from);
      open.push({ place: child, from: childStart, until: childEnd });
      reached = childStart;
    }
    add(place, from, reached);
  }
  return stretches;
}

/**
 * Children from the last to start to the first, in place of each the one that ended latest among it and those before it.
 * @param until children that started then or later are left out.
 */
function lastBefore(tree: SpanTree, { start, end }: SpanTimes, place: number, until: number): number[] {
  const last: number[] = [];
  const behind = place === ALL ? tree.end.length : tree.end[place]!;
  for (let child = place + 1; child < behind && start[child]! < until; child = tree.end[child]!) {
    const latest = last.at(-1);
    last.push(latest !== undefined && end[latest]! > end[child]! ? latest : child);
  }
  return last.toReversed();
}
