import type { SpanTree } from './span-tree.js';

/**
 * Places of the rows that are shown, top to bottom.
 * @param folded ids of spans whose descendants are hidden.
 * @param kept by place, not 0 for what a filter leaves; a span with a kept descendant is kept. `null`: no filter.
 */
export function visiblePlaces(
  tree: Pick<SpanTree, 'spans' | 'end'>,
  folded: ReadonlySet<string>,
  kept: Uint8Array | null,
): Int32Array {
  const count = tree.spans.length;
  const places = new Int32Array(count);
  let rows = 0;
  let place = 0;
  while (place < count) {
    const isKept = kept === null || kept[place] !== 0;
    if (isKept) places[rows++] = place;
    const isClosed = !isKept || (folded.size > 0 && folded.has(tree.spans[place]!.id));
    place = isClosed ? tree.end[place]! : place + 1;
  }
  return places.subarray(0, rows);
}

/** The row of a place, or -1 when it is not shown. @param places sorted, as {@link visiblePlaces} gives them. */
export function rowOf(places: Int32Array, place: number): number {
  const row = lowerBound(places, place);
  return places[row] === place ? row : -1;
}

/** The row that stands for a place: its own, or where it is hidden that of its nearest shown ancestor; -1 for none. */
export function rowFor(tree: Pick<SpanTree, 'parent'>, places: Int32Array, place: number): number {
  for (let shown = place; shown !== -1; shown = tree.parent[shown]!) {
    const row = rowOf(places, shown);
    if (row !== -1) return row;
  }
  return -1;
}

/** The next place after, or before, a place in a sorted list of places; round the end; `undefined` in an empty list. */
export function nextPlace(places: Int32Array, from: number, direction: 1 | -1): number | undefined {
  if (places.length === 0) return undefined;
  const at = lowerBound(places, from);
  if (direction === -1) return places[at === 0 ? places.length - 1 : at - 1];
  const next = places[at] === from ? at + 1 : at;
  return places[next === places.length ? 0 : next];
}

/** Where a value stands in a sorted array, or would be put. */
function lowerBound(sorted: Int32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
