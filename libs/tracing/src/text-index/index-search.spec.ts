import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { rangesToRead } from './index-search.sql.js';

const slice = (startedFrom: number, startedUntil: number, held = 0, spans = 10) => ({
  startedFrom,
  startedUntil,
  held,
  spans,
});
const WHOLE = { startedFrom: 0, startedUntil: 100 };
const of = (ranges: ReturnType<typeof rangesToRead>) =>
  ranges.map(({ startedFrom, startedUntil, spans }) => [startedFrom, startedUntil, spans]);

describe('what a search for text looks through', () => {
  it('is everything where there are no slices', () => {
    expect(of(rangesToRead(WHOLE, []))).toEqual([[0, 100, undefined]]);
  });

  it('is what lies between slices, and slices that may have a hit', () => {
    const slices = [slice(-50, 10), slice(10, 20, 1), slice(20, 30, 1), slice(40, 50), slice(50, 60)];
    expect(of(rangesToRead(WHOLE, slices))).toEqual([
      [10, 30, 20],
      [30, 40, undefined],
      [60, 100, undefined],
    ]);
  });

  it('is within the starts that the list can have', () => {
    expect(of(rangesToRead({ startedFrom: 15, startedUntil: 25 }, [slice(10, 20, 1), slice(20, 30)]))).toEqual([
      [15, 20, 10],
    ]);
  });

  it('leaves out no start but those of slices that have nothing', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: -10, max: 110 }), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, fc.array(fc.nat(2)), (starts, kinds) => {
        const sorted = starts.toSorted((a, b) => a - b);
        const slices = sorted
          .slice(1)
          .map((until, n) => slice(sorted[n]!, until, kinds[n] === 1 ? 1 : 0))
          .filter((_, n) => kinds[n] !== 2);
        const ranges = rangesToRead(WHOLE, slices);
        for (let start = 0; start < 100; start++) {
          const reads = ranges.filter(({ startedFrom, startedUntil }) => start >= startedFrom && start < startedUntil);
          const shut = slices.find(({ startedFrom, startedUntil }) => start >= startedFrom && start < startedUntil);
          expect(reads).toHaveLength(shut?.held === 0 ? 0 : 1);
        }
      }),
    );
  });
});
