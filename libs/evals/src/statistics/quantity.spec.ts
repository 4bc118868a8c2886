import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { random } from '../../../../test/support/random.js';
import { OrderStatistics } from './quantity.js';

const quantilesOf = (values: readonly number[], shares: readonly number[]) => {
  const statistics = new OrderStatistics();
  for (const value of values) statistics.add(value);
  return statistics.quantiles(shares);
};

/** The definition: linear between order statistics. */
function type7(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const h = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(h)]!, sorted[Math.ceil(h)]!];
  return low + (h - Math.floor(h)) * (high - low);
}

describe('quantiles', () => {
  it('latencies 120 80 95 300 110 105 2000', () => {
    expect(quantilesOf([120, 80, 95, 300, 110, 105, 2000], [0.5, 0.95, 0, 1])).toEqual([
      110,
      expect.closeTo(1490, 9),
      80,
      2000,
    ]);
  });

  it('are those of the sorted values', () => {
    const values = fc.array(fc.integer({ min: -5, max: 500 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
        expect(quantilesOf(all, [share])[0]).toBeCloseTo(type7(all, share), 9);
      }),
    );
  });

  it('are found across blocks, in whatever order values come', () => {
    const next = random(3);
    const mixed = Array.from({ length: 200_000 }, () => next(40_000));
    for (const values of [mixed, mixed.toSorted((a, b) => a - b), mixed.map(() => 7)]) {
      const statistics = quantilesOf(values, [0, 0.5, 0.95, 1]);
      expect(statistics).toEqual([0, 0.5, 0.95, 1].map((share) => expect.closeTo(type7(values, share), 6)));
    }
  });

  it('are none without values, and may be asked for again after more', () => {
    const statistics = new OrderStatistics();
    expect(statistics.quantiles([0.5, 0.95])).toEqual([null, null]);
    statistics.add(5);
    expect(statistics.quantiles([0.5])).toEqual([5]);
    statistics.add(1);
    expect(statistics.quantiles([0.5])).toEqual([3]);
  });
});
