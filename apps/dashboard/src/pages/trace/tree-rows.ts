import { isLlmCall, modelOf, statusWordOf, type TraceSpan } from '../../features/trace-span.js';
import type { SpanTree } from './span-tree.js';
import type { Only } from './trace-search.js';

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

/** What the filters of a trace ask for; a span must pass all of them. */
export interface TraceFilter {
  /** A part of the name, the model or the error, whatever its case; `''` asks for nothing. */
  find: string;
  only: readonly Only[];
  /** Ids of spans whose texts have {@link find} in them, as the service has found them. */
  foundInTexts: ReadonlySet<string>;
}

export interface FilteredSpans {
  /** By place: 0 hidden, {@link ABOVE_MATCH} or {@link MATCH}. */
  readonly kept: Uint8Array;
  /** Places of the matches, sorted. */
  readonly matches: Int32Array;
}

/** A parent of a match, which stays and is dimmed. */
export const ABOVE_MATCH = 1;
export const MATCH = 2;

/** Filters spans; `null` where nothing is asked for, so that all of them are shown. */
export function filterSpans(tree: SpanTree, { find, only, foundInTexts }: TraceFilter): FilteredSpans | null {
  const sought = find.trim().toLowerCase();
  if (sought === '' && only.length === 0) return null;
  const wantsErrors = only.includes('errors');
  const wantsCalls = only.includes('llm');
  const kept = new Uint8Array(tree.spans.length);
  const matches: number[] = [];
  for (const [place, span] of tree.spans.entries()) {
    if (wantsErrors && statusWordOf(span) !== 'failed') continue;
    if (wantsCalls && !isLlmCall(span)) continue;
    if (sought !== '' && !searchedText(span).includes(sought) && !foundInTexts.has(span.id)) continue;
    kept[place] = MATCH;
    matches.push(place);
  }
  for (let place = kept.length - 1; place >= 0; place--) {
    const above = tree.parent[place]!;
    if (kept[place] !== 0 && above !== -1 && kept[above] === 0) kept[above] = ABOVE_MATCH;
  }
  return { kept, matches: Int32Array.from(matches) };
}

/** Line breaks keep a text from being found across two members. */
const searchedText = (span: TraceSpan): string =>
  `${span.name}\n${modelOf(span) ?? ''}\n${span.error ?? ''}`.toLowerCase();

/** Places of failed spans, sorted. */
export function failedPlaces(tree: Pick<SpanTree, 'spans'>): Int32Array {
  const places: number[] = [];
  for (const [place, span] of tree.spans.entries()) if (statusWordOf(span) === 'failed') places.push(place);
  return Int32Array.from(places);
}
