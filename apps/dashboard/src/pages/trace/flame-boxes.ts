import type { FlameLayout } from './flame-layout.js';
import type { SpanTree } from './span-tree.js';

/** What of a flame graph is seen: the span that fills the width, and a window over its rows, in pixels. */
export interface FlameWindow {
  /** Place of the span that fills the width; -1 for all. */
  focus: number;
  width: number;
  rowHeight: number;
  top: number;
  height: number;
}

/** A box to paint, in pixels of the window. `place` is -1 for several spans that are too narrow to tell apart. */
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
