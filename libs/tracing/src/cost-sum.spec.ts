import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { addCost, costOf, subtractCost, toCostSum, type CostSum } from './cost-sum.js';

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
  });

  it('stay exact integers whatever is added', () => {
    const sum = addCost(toCostSum(Number.MAX_VALUE), toCostSum(Number.MAX_VALUE));
    expect(Number.isSafeInteger(sum.usd) && Number.isSafeInteger(sum.pico)).toBe(true);
  });
});
