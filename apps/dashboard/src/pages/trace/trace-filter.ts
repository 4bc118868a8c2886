import type { SpanTree } from './span-tree.js';
import type { Only } from './trace-search.js';
import { isLlmCall, modelOf, statusWordOf, type TraceSpan } from '../../features/spans/trace-span.js';

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
  const texts = sought === '' ? [] : searchedTexts(tree);
  const wantsErrors = only.includes('errors');
  const wantsCalls = only.includes('llm');
  const kept = new Uint8Array(tree.spans.length);
  const matches: number[] = [];
  for (const [place, span] of tree.spans.entries()) {
    if (wantsErrors && statusWordOf(span) !== 'failed') continue;
    if (wantsCalls && !isLlmCall(span)) continue;
    if (sought !== '' && !texts[place]!.includes(sought) && !foundInTexts.has(span.id)) continue;
    kept[place] = MATCH;
    matches.push(place);
  }
  keepParents(tree, kept);
  return { kept, matches: Int32Array.from(matches) };
}

function keepParents({ parent }: SpanTree, kept: Uint8Array): void {
  for (let place = kept.length - 1; place >= 0; place--) {
    const above = parent[place]!;
    if (kept[place] !== 0 && above !== -1 && kept[above] === 0) kept[above] = ABOVE_MATCH;
  }
}

/** Kept between the keystrokes of a search. */
const TEXTS = new WeakMap<SpanTree, readonly string[]>();

function searchedTexts(tree: SpanTree): readonly string[] {
  const known = TEXTS.get(tree);
  if (known) return known;
  const texts = tree.spans.map(searchedText);
  TEXTS.set(tree, texts);
  return texts;
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
