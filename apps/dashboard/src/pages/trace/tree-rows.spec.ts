import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { buildSpanTree } from './span-tree.js';
import { anySpans, spanOf } from './fixtures/spans.js';
import {
  ABOVE_MATCH,
  failedPlaces,
  filterSpans,
  MATCH,
  nextPlace,
  rowFor,
  rowOf,
  visiblePlaces,
  type TraceFilter,
} from './tree-rows.js';

const FAILED = { status: { failed: { error: 'Overloaded' } }, error: 'Overloaded' } as const;

const tree = buildSpanTree([
  spanOf('root', null, 0, 9),
  spanOf('plan', 'root', 1, 4, { kind: { type: 'llm_call', model: 'GPT-5' } }),
  spanOf('fetch', 'plan', 2, 3),
  spanOf('answer', 'root', 5, 6, { kind: { type: 'llm_call', model: 'haiku' }, ...FAILED }),
  spanOf('other', null, 7, 8),
]);
const NO_FILTER: TraceFilter = { find: '', only: [], foundInTexts: new Set() };
const filter = (wanted: Partial<TraceFilter>) => filterSpans(tree, { ...NO_FILTER, ...wanted });
const namesOf = (places: Int32Array) => [...places].map((place) => tree.spans[place]!.name).join(' ');

describe('visiblePlaces', () => {
  it('hides what is below a folded span', () => {
    expect(namesOf(visiblePlaces(tree, new Set(), null))).toBe('root plan fetch answer other');
    expect(namesOf(visiblePlaces(tree, new Set(['plan']), null))).toBe('root plan answer other');
    expect(namesOf(visiblePlaces(tree, new Set(['plan', 'root']), null))).toBe('root other');
  });

  it('shows what a filter keeps', () => {
    const { kept } = filter({ find: 'fetch' })!;
    expect(namesOf(visiblePlaces(tree, new Set(), kept))).toBe('root plan fetch');
  });

  it('shows exactly spans that are kept and have no folded ancestor', () => {
    fc.assert(
      fc.property(anySpans, fc.array(fc.nat(11)), fc.array(fc.nat(11)), (spans, foldedOnes, foundOnes) => {
        const any = buildSpanTree(spans);
        const folded = new Set(foldedOnes.map((index) => `s${index}`));
        const foundInTexts = new Set(foundOnes.map((index) => `s${index}`));
        const { kept } = filterSpans(any, { ...NO_FILTER, find: 'no name has this', foundInTexts })!;
        const isKept = (place: number) => any.spans.slice(place, any.end[place]).some(({ id }) => foundInTexts.has(id));
        const isHidden = (place: number): boolean =>
          any.parent[place] !== -1 && (folded.has(any.spans[any.parent[place]!]!.id) || isHidden(any.parent[place]!));
        const expected = [...any.spans.keys()].filter((place) => isKept(place) && !isHidden(place));
        expect([...visiblePlaces(any, folded, kept)]).toEqual(expected);
      }),
    );
  });
});

describe('rows', () => {
  const places = visiblePlaces(tree, new Set(['plan']), null);

  it('finds the row of a span, or of the shown span above it', () => {
    expect(rowOf(places, 3)).toBe(2);
    expect(rowOf(places, 2)).toBe(-1);
    expect(rowFor(tree, places, 2)).toBe(1);
    expect(rowFor(tree, new Int32Array(0), 2)).toBe(-1);
  });

  it('goes round from the last to the first', () => {
    const matches = Int32Array.of(1, 4, 9);
    expect([0, 1, 5, 9, 10].map((from) => nextPlace(matches, from, 1))).toEqual([1, 4, 9, 1, 1]);
    expect([0, 1, 5, 9, 10].map((from) => nextPlace(matches, from, -1))).toEqual([9, 9, 4, 4, 9]);
    expect(nextPlace(new Int32Array(0), 3, 1)).toBeUndefined();
  });
});

describe('filterSpans', () => {
  it('asks for nothing without a text and a pressed button', () => {
    expect(filter({ find: '  ' })).toBeNull();
  });

  it('finds names, models and errors whatever their case, and texts that the service has found', () => {
    expect(namesOf(filter({ find: 'gpt' })!.matches)).toBe('plan');
    expect(namesOf(filter({ find: 'OVERLOAD' })!.matches)).toBe('answer');
    expect(namesOf(filter({ find: 'x', foundInTexts: new Set(['other']) })!.matches)).toBe('other');
  });

  it('keeps parents of matches, which are distinguished from matches', () => {
    const { kept } = filter({ only: ['errors'] })!;
    expect([...kept]).toEqual([ABOVE_MATCH, 0, 0, MATCH, 0]);
  });

  it('wants everything that is asked for at once', () => {
    expect(namesOf(filter({ only: ['llm'] })!.matches)).toBe('plan answer');
    expect(namesOf(filter({ only: ['llm', 'errors'], find: 'a' })!.matches)).toBe('answer');
    expect(filter({ only: ['llm', 'errors'], find: 'plan' })!.matches).toHaveLength(0);
  });

  it('knows the failed ones', () => {
    expect(namesOf(failedPlaces(tree))).toBe('answer');
  });
});
