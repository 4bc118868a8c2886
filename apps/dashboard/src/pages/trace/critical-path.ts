import type { SpanTimes, Stretch } from './span-times.js';
import type { SpanTree } from './span-tree.js';

/** The chain of work that decided how long the trace took (docs/spec/dashboard-trace.md#time-of-a-trace). */
export interface CriticalPath {
  /** Whether a span, by place, has a stretch on the path. */
  readonly has: (place: number) => boolean;
  /** Stretches of a span that are on the path, latest first. */
  readonly stretchesOf: (place: number) => readonly Stretch[];
}

const NO_STRETCHES: readonly Stretch[] = [];
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
  return {
    has: (place) => stretches.has(place),
    stretchesOf: (place) => stretches.get(place) ?? NO_STRETCHES,
  };
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
