import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { TraceSpan } from '../../features/trace-span.js';
import { childrenOf, buildSpanTree, type SpanTree } from './span-tree.js';
import { findCriticalPath, layOutTimes, ownStretches, type SpanTimes, type Stretch } from './span-times.js';
import { anySpans, chainOf, spanOf } from './fixtures/spans.js';

const NOW = Date.parse('2026-11-22T12:00:00.000Z') + 100;

function layOut(spans: TraceSpan[]) {
  const tree = buildSpanTree(spans);
  const times = layOutTimes(tree, NOW);
  return { tree, times, path: findCriticalPath(tree, times) };
}

const lengthOf = (stretches: readonly Stretch[]) => stretches.reduce((sum, { from, to }) => sum + to - from, 0);

/** Looks at every millisecond by itself. */
function countMoments(times: SpanTimes, place: number, isCounted: (moment: number) => boolean): number {
  let moments = 0;
  for (let moment = times.start[place]!; moment < times.end[place]!; moment++) if (isCounted(moment)) moments++;
  return moments;
}

const runsAt = ({ start, end }: SpanTimes, place: number, moment: number) =>
  start[place]! <= moment && moment < end[place]!;

const anyChildRuns = (tree: SpanTree, times: SpanTimes, place: number, moment: number) =>
  [...childrenOf(tree, place)].some((child) => runsAt(times, child, moment));

describe('layOutTimes', () => {
  it('counts from the first start and lets running spans end now', () => {
    const { times } = layOut([spanOf('a', null, 10, null), spanOf('b', 'a', 15, 40)]);
    expect([...times.start]).toEqual([0, 5]);
    expect([...times.end]).toEqual([90, 30]);
    expect(times.total).toBe(90);
  });

  it('takes time that children overlap in away once', () => {
    const { times, tree } = layOut([
      spanOf('a', null, 0, 100),
      spanOf('b', 'a', 10, 50),
      spanOf('c', 'a', 30, 60),
      spanOf('d', 'a', 90, 400),
    ]);
    expect(ownStretches(tree, times, 0)).toEqual([
      { from: 0, to: 10 },
      { from: 60, to: 90 },
    ]);
  });

  it('finds when nothing ran', () => {
    const { times } = layOut([spanOf('a', null, 0, 10), spanOf('b', 'a', 5, 30), spanOf('c', null, 50, 60)]);
    expect(times.gaps).toEqual([{ from: 30, to: 50 }]);
  });

  it('agrees with a look at every moment', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const { tree, times } = layOut(spans);
        for (const place of tree.spans.keys()) {
          const own = countMoments(times, place, (moment) => !anyChildRuns(tree, times, place, moment));
          expect(lengthOf(ownStretches(tree, times, place))).toBe(own);
        }
        const idle = Array.from({ length: times.total }, (_, moment) => moment).filter(
          (moment) => ![...tree.spans.keys()].some((place) => runsAt(times, place, moment)),
        );
        expect(lengthOf(times.gaps)).toBe(idle.length);
      }),
    );
  });

  it('has nothing to lay out in a trace without spans', () => {
    const { times } = layOut([]);
    expect(times).toMatchObject({ total: 0, gaps: [] });
  });
});

describe('findCriticalPath', () => {
  it('goes back from the end along what ran last', () => {
    const { path } = layOut([
      spanOf('root', null, 0, 100),
      spanOf('quick', 'root', 5, 20),
      spanOf('slow', 'root', 5, 60),
      spanOf('last', 'root', 70, 90),
    ]);
    expect([0, 1, 2, 3].map((place) => path.has(place))).toEqual([true, false, true, true]);
    expect(path.get(0)).toEqual([
      { from: 90, to: 100 },
      { from: 60, to: 70 },
      { from: 0, to: 5 },
    ]);
    expect(path.get(2)).toEqual([{ from: 5, to: 60 }]);
  });

  it('covers all time but the gaps, once, with spans that ran then and had no child on the path then', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const { tree, times, path } = layOut(spans);
        const places = [...tree.spans.keys()];
        const stretches = places.flatMap((place) => (path.get(place) ?? []).map((stretch) => ({ place, ...stretch })));
        for (const { place, from, to } of stretches) {
          expect(from).toBeGreaterThanOrEqual(times.start[place]!);
          expect(to).toBeLessThanOrEqual(times.end[place]!);
        }
        const sorted = stretches.sort((a, b) => a.from - b.from);
        for (let i = 1; i < sorted.length; i++) expect(sorted[i]!.from).toBeGreaterThanOrEqual(sorted[i - 1]!.to);
        const tops = [...childrenOf(tree, -1)];
        const covered = Array.from({ length: times.total }, (_, moment) => moment).filter((moment) =>
          tops.some((place) => runsAt(times, place, moment)),
        );
        expect(lengthOf(stretches)).toBe(covered.length);
      }),
    );
  });

  it('takes a chain of 30,000', () => {
    const { path } = layOut(chainOf(30_000));
    expect(path.has(29_999)).toBe(true);
  });
});
