import { describe, expect, it } from '@jest/globals';
import { estimateMean } from './estimate-mean.js';

const repeated = (values: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => values).flat();

describe('estimateMean', () => {
  it('says no interval of few values, and nothing of none', () => {
    expect(estimateMean([])).toEqual({ mean: null, ci: null });
    expect(estimateMean(repeated([0.5], 29))).toEqual({ mean: 0.5, ci: null });
  });

  it("takes Wilson's interval of shares", () => {
    const { mean, ci } = estimateMean(repeated([1, 1, 1, 0], 10));
    expect(mean).toBe(0.75);
    expect([ci!.low, ci!.high]).toEqual([expect.closeTo(0.5981, 4), expect.closeTo(0.8581, 4)]);
    expect(estimateMean(repeated([1], 30)).ci).toMatchObject({ low: expect.closeTo(0.8865, 4) });
  });

  it('takes the normal interval of numbers', () => {
    const { mean, ci } = estimateMean(repeated([1, 2, 3], 20));
    expect(mean).toBe(2);
    // s = sqrt(40 / 59), half = 1.96 s / sqrt(60)
    expect(ci).toMatchObject({ low: expect.closeTo(1.7917, 4), high: expect.closeTo(2.2083, 4), level: 0.95 });
  });
});
