import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { TraceRow } from '../trace.entity.js';
import { STATUS } from '../span.entity.js';
import {
  addCost,
  costOf,
  EMPTY_ROLLUP,
  modelsOf,
  rollUp,
  subtractCost,
  toCostSum,
  type CostSum,
} from './trace-rollup.js';

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

describe('models of a trace', () => {
  const spanOf = (model: string | null) => ({
    ...{ model, status: STATUS.completed, kindType: 'llm_call', totalTokens: 1, cost: 0, endedAt: 1 },
  });

  it('are those of its spans, whatever comes, changes and goes', () => {
    const model = fc.constantFrom(null, '', 'a', 'b', 'a,1', '["a",1]', '"', '\\', ']', '],["b",1');
    const change = fc.record({ at: fc.nat(5), to: fc.option(model, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const spans = new Map<number, string | null>();
        let trace = { ...EMPTY_ROLLUP } as TraceRow;
        for (const { at, to } of changes) {
          const before = spans.get(at);
          if (to === undefined) spans.delete(at);
          else spans.set(at, to);
          if (before === undefined && to === undefined) continue;
          trace = rollUp(trace, before === undefined ? null : spanOf(before), to === undefined ? null : spanOf(to));
          const named = [...spans.values()].filter((name) => name !== null);
          expect(modelsOf(trace)).toEqual([...new Set(named)].toSorted());
          expect(trace.spanCount).toBe(spans.size);
        }
        expect(spans.size > 0 || trace.models === '[]').toBe(true);
      }),
    );
  });
});
