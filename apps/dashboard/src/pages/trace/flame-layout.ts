import type { SpanTimes } from './span-times.js';
import { childrenOf, type SpanTree } from './span-tree.js';

/** Where spans lie in a flame graph, by place: left edge and width as shares of the whole; the row is the depth. */
interface FlameLayout {
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

/** What of a flame graph is seen: the span that fills the width, and a window over its rows, in pixels. */
export interface FlameWindow {
  /** Place of the span that fills the width; -1 for all. */
  focus: number;
  width: number;
  rowHeight: number;
  top: number;
  height: number;
}

/** A box to paint, in pixels of the window. `place` is -1 for several spans that are too narrow to distinguish. */
export interface FlameBox {
  place: number;
  x: number;
  y: number;
  width: number;
}

/** What is narrower is painted together with its neighbours, and its descendants are not looked at. */
const NARROW = 0.7;

/** Boxes that are seen through a window, every pixel painted about once however many spans there are. */
export function boxesIn(tree: SpanTree, layout: FlameLayout, view: FlameWindow): FlameBox[] {
  const boxes: FlameBox[] = [];
  const toPixels = pixelsOf(layout, view);
  const lastDepth = Math.floor((view.top + view.height) / view.rowHeight);
  const firstDepth = Math.floor(view.top / view.rowHeight);
  let place = 0;
  while (place < tree.spans.length) {
    const depth = tree.depth[place]!;
    const { x, width } = toPixels(place);
    const isOutside = x + width <= 0 || x >= view.width || depth > lastDepth;
    const y = depth * view.rowHeight - view.top;
    if (!isOutside && depth >= firstDepth) {
      const from = Math.max(0, x);
      const seen = Math.min(view.width, x + width) - from;
      if (width >= NARROW) boxes.push({ place, x: from, y, width: seen });
      else addNarrow(boxes, from, y, seen);
    }
    place = isOutside || width < NARROW ? tree.end[place]! : place + 1;
  }
  return boxes;
}

/** The box of one span, also where it is too narrow to be among {@link boxesIn}. */
export function boxOf(tree: SpanTree, layout: FlameLayout, view: FlameWindow, place: number): FlameBox {
  return { place, y: tree.depth[place]! * view.rowHeight - view.top, ...pixelsOf(layout, view)(place) };
}

/** Neighbours that are too narrow become one box, which grows while they touch it. */
function addNarrow(boxes: FlameBox[], x: number, y: number, width: number): void {
  const last = boxes.at(-1);
  if (last?.place === -1 && last.y === y && x <= last.x + last.width + NARROW) {
    last.width = Math.max(last.width, x + width - last.x);
  } else {
    boxes.push({ place: -1, x, y, width });
  }
}

/** The place of the span at a point of the window, in pixels; -1 where there is none. */
export function placeAt(tree: SpanTree, layout: FlameLayout, view: FlameWindow, x: number, y: number): number {
  const wanted = Math.floor((y + view.top) / view.rowHeight);
  const toPixels = pixelsOf(layout, view);
  let place = 0;
  while (place < tree.spans.length) {
    const box = toPixels(place);
    const isHit = x >= box.x && x < box.x + box.width;
    if (isHit && tree.depth[place] === wanted) return place;
    place = isHit && tree.depth[place]! < wanted ? place + 1 : tree.end[place]!;
  }
  return -1;
}

/** A focused span without a width is drawn as if it had this one. */
const NARROWEST = 1e-12;

function pixelsOf({ left, width }: FlameLayout, { focus, width: pixels }: FlameWindow) {
  const from = focus === -1 ? 0 : left[focus]!;
  const room = focus === -1 ? 1 : Math.max(width[focus]!, NARROWEST);
  const scale = pixels / room;
  return (place: number) => ({ x: (left[place]! - from) * scale, width: width[place]! * scale });
}
