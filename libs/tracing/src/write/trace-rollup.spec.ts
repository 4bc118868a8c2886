import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { addCost, costOf, subtractCost, toCostSum, type CostSum } from './trace-rollup.js';

const ZERO: CostSum = { usd: 0, pico: 0 };
const cost = fc.double({ min: 0, max: 1e6, noNaN: true });

describe('sums of costs', () => {
  it('come back to where they were when what was added is taken away in any order', () => {
    fc.assert(
      fc.property(fc.array(cost), fc.infiniteStream(fc.nat()), (costs, picks) => {
        const sum = costs.reduce((total, amount) => addCost(total, toCostSum(amount)), ZERO);
        const left = [...costs];
        let total = sum;
        for (const pick of picks) {
          if (left.length === 0) break;
          total = subtractCost(total, toCostSum(left.splice(pick % left.length, 1)[0]!));
        }
        expect(total).toEqual(ZERO);
      }),
    );
  });

  it('show no binary fractions', () => {
    expect(costOf(addCost(toCostSum(0.1), toCostSum(0.2)))).toBe(0.3);
    expect(costOf(toCostSum(1e-12))).toBe(1e-12);
    expect(costOf(addCost(toCostSum(12.345678901234), toCostSum(0.00038505)))).toBe(12.346063951234);
  });

  it('are the nearest double to the trillionths they hold', () => {
    fc.assert(
      fc.property(fc.nat({ max: 9_000_000_000_000_000 }), (pico) => {
        expect(costOf(addCost({ usd: 0, pico: 0 }, { usd: 0, pico }))).toBe(pico / 1e12);
      }),
    );
  });

  it('stay exact integers whatever is added', () => {
    const sum = addCost(toCostSum(Number.MAX_VALUE), toCostSum(Number.MAX_VALUE));
    expect(Number.isSafeInteger(sum.usd) && Number.isSafeInteger(sum.pico)).toBe(true);
  });
});
