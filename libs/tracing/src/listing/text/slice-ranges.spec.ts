import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { rangesToRead } from './slice-ranges.js';

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
    expect(of(rangesToRead(WHOLE, [], [3]))).toEqual([[0, 100, undefined]]);
  });

  it('is what lies between slices, slices that may have a hit, and late spans', () => {
    const slices = [slice(-50, 10), slice(10, 20, 1), slice(20, 30, 1), slice(40, 50), slice(50, 60)];
    expect(of(rangesToRead(WHOLE, slices, [5, 12, 45, 45, 46]))).toEqual([
      [5, 6, 1],
      [10, 30, 21],
      [30, 40, undefined],
      [45, 47, 3],
      [60, 100, undefined],
    ]);
  });

  it('is a slice as a whole where many spans of it are late', () => {
    const late = Array.from({ length: 60 }, (_, n) => 20 + (n % 10));
    expect(of(rangesToRead(WHOLE, [slice(0, 20), slice(20, 30), slice(30, 100)], late))).toEqual([[20, 30, 70]]);
  });

  it('is within the starts that the list can have', () => {
    expect(
      of(rangesToRead({ startedFrom: 15, startedUntil: 25 }, [slice(10, 20, 1), slice(20, 30)], [17, 29])),
    ).toEqual([[15, 20, 11]]);
  });

  it('leaves out no start but those of slices that have nothing', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: -10, max: 110 }), { maxLength: 8 });
    const late = fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 6 });
    fc.assert(
      fc.property(cuts, fc.array(fc.nat(2)), late, (starts, kinds, unsorted) => {
        const sorted = starts.toSorted((a, b) => a - b);
        const slices = sorted
          .slice(1)
          .map((until, n) => slice(sorted[n]!, until, kinds[n] === 1 ? 1 : 0))
          .filter((_, n) => kinds[n] !== 2);
        const noted = unsorted.toSorted((a, b) => a - b);
        const ranges = rangesToRead(WHOLE, slices, noted);
        for (let start = 0; start < 100; start++) {
          const reads = ranges.filter(({ startedFrom, startedUntil }) => start >= startedFrom && start < startedUntil);
          const shut = slices.find(({ startedFrom, startedUntil }) => start >= startedFrom && start < startedUntil);
          expect(reads).toHaveLength(shut?.held === 0 && !noted.includes(start) ? 0 : 1);
        }
      }),
    );
  });
});
