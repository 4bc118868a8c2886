import type { SpanTimes } from './span-times.js';
import { childrenOf, type SpanTree } from './span-tree.js';

/** Where spans lie in a flame graph, by place: left edge and width as shares of the whole; the row is the depth. */
export interface FlameLayout {
  readonly left: Float64Array;
  readonly width: Float64Array;
}

/**
 * Lays a flame graph out (docs/spec/dashboard-trace.md#flame-graph). A span is as wide as its share of its parent's time; children stand beside each other in the
 * order of their start, and where several ran at once, so that together they took longer than their parent, they share its
 * width. Takes time proportional to the number of spans, and no recursion.
 */
export function layOutFlame(tree: SpanTree, { start, end }: SpanTimes): FlameLayout {
  const count = tree.spans.length;
  const left = new Float64Array(count);
  const width = new Float64Array(count);
  // Two slots of each family, the last one for the spans at the top: time of all children, and how far they are laid out.
  const time = new Float64Array(count + 1);
  const children = new Float64Array(count + 1);
  const laid = new Float64Array(count + 1);
  const familyOf = (place: number): number => (tree.parent[place] === -1 ? count : tree.parent[place]!);
  for (let place = 0; place < count; place++) {
    time[familyOf(place)]! += end[place]! - start[place]!;
    children[familyOf(place)]! += 1;
  }
  for (let place = 0; place < count; place++) {
    const family = familyOf(place);
    const isTop = family === count;
    const room = isTop ? 1 : width[family]!;
    const whole = isTop ? time[family]! : Math.max(time[family]!, end[family]! - start[family]!);
    const share = whole > 0 ? (end[place]! - start[place]!) / whole : 1 / children[family]!;
    left[place] = (isTop ? 0 : left[family]!) + laid[family]!;
    width[place] = room * share;
    laid[family] = laid[family]! + width[place]!;
  }
  return { left, width };
}

export type FlameStep = 'parent' | 'child' | 'next' | 'previous';

/** The place that a key leads to, or the same one where there is none. */
export function stepInFlame(tree: SpanTree, place: number, step: FlameStep): number {
  const above = tree.parent[place]!;
  if (step === 'parent') return above === -1 ? place : above;
  if (step === 'child') return tree.end[place]! > place + 1 ? place + 1 : place;
  const behind = above === -1 ? tree.end.length : tree.end[above]!;
  if (step === 'next') return tree.end[place]! < behind ? tree.end[place]! : place;
  let previous = place;
  for (const sibling of childrenOf(tree, above)) {
    if (sibling === place) return previous;
    previous = sibling;
  }
  return place;
}
