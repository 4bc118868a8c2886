import { describe, expect, it } from '@jest/globals';
import { measureConfusion } from './judge-agreement.js';

describe('measureConfusion', () => {
  it('answers agreement, kappa and rates of a table as they are found by hand', () => {
    // Both pass 20 of 50 and fail 15: 0.7 agree. By chance 25/50 · 30/50 + 25/50 · 20/50 = 0.5, so (0.7 − 0.5) / 0.5.
    const confusion = { true_pass: 20, false_pass: 5, false_fail: 10, true_fail: 15 };
    const ci = (low: number, high: number) => ({
      low: expect.closeTo(low, 4),
      high: expect.closeTo(high, 4),
      level: 0.95,
    });
    expect(measureConfusion(confusion)).toEqual({
      ...{ units: 50, percent_agreement: 0.7, cohen_kappa: expect.closeTo(0.4, 12), confusion },
      true_pass_rate: { rate: 2 / 3, ci: ci(0.4878, 0.8077) },
      true_fail_rate: { rate: 0.75, ci: ci(0.5313, 0.8881) },
    });
  });

  it('has a kappa of one for a judge that is always right, and a negative one where it is worse than chance', () => {
    const kappaOf = (true_pass: number, false_pass: number, false_fail: number, true_fail: number) =>
      measureConfusion({ true_pass, false_pass, false_fail, true_fail }).cohen_kappa;
    expect(kappaOf(30, 0, 0, 10)).toBe(1);
    expect(kappaOf(0, 10, 10, 0)).toBe(-1);
    // 0.9 agree, and 0.95² + 0.05² = 0.905 would by chance: where nearly all pass, kappa collapses.
    expect(kappaOf(90, 5, 5, 0)).toBeCloseTo(-0.005 / 0.095, 12);
  });

  it('says nothing that the table does not hold', () => {
    const none = { true_pass: 0, false_pass: 0, false_fail: 0, true_fail: 0 };
    expect(measureConfusion(none)).toEqual({
      ...{ units: 0, percent_agreement: null, cohen_kappa: null, true_pass_rate: null, true_fail_rate: null },
      confusion: none,
    });
    expect(measureConfusion({ ...none, true_pass: 5 })).toMatchObject({
      ...{ percent_agreement: 1, cohen_kappa: null, true_pass_rate: { rate: 1 }, true_fail_rate: null },
    });
  });
});
