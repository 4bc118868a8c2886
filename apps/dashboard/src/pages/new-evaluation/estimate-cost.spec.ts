import type { EvalRunSummary } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { describeCost } from './estimate-cost.js';

const prices = new Map([['a', { input: 1, output: 10 }]]);
const CALLS = { calls: 1_000, isJudged: false };
const run = { name: 'first', total_tokens: 13_000, sample_progress: 10 } as EvalRunSummary;

describe('what a run will cost', () => {
  it('is estimated from an earlier run, else from the size of datapoints', () => {
    expect(describeCost({ ...CALLS, prices, earlier: run, sizes: [] })).toBe(
      'About $4.00, estimated from tokens of the run first.',
    );
    expect(describeCost({ ...CALLS, prices, earlier: undefined, sizes: [2_000, 6_000] })).toBe(
      'About $4.00, estimated from the size of 2 datapoints.',
    );
  });

  it('has what the judges of an earlier run cost, and says where nothing is known of them', () => {
    const judged = { ...run, judge_cost: 0.02 };
    const words = (earlier: EvalRunSummary | undefined): string =>
      describeCost({ ...CALLS, isJudged: true, prices, earlier, sizes: [4_000] });
    expect(words(judged)).toBe('About $6.00, judges included, estimated from tokens of the run first.');
    expect(words(run)).toBe('About $4.00 without judges, estimated from tokens of the run first.');
    expect(words(undefined)).toBe('About $4.00 without judges, estimated from the size of 1 datapoint.');
    expect(describeCost({ ...CALLS, prices, earlier: judged, sizes: [] })).toMatch(/^About \$4\.00, estimated/);
  });

  it('says which price is not known, and takes the first of tiers', () => {
    const tiered = { base: 2, tiers: [{ above: 200_000, price: 4 }] };
    const some = new Map([
      ['a', { input: tiered, output: 10 }],
      ['b', null],
    ]);
    expect(describeCost({ ...CALLS, prices: some, earlier: run, sizes: [] })).toBe(
      'About $5.00, estimated from tokens of the run first. Price unknown: b.',
    );
    expect(describeCost({ ...CALLS, prices: new Map([['b', null]]), earlier: run, sizes: [] })).toBe(
      'Price unknown: b.',
    );
  });
});
