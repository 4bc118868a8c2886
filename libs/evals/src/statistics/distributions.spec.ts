import { describe, expect, it } from '@jest/globals';
import { loadDistributions } from './distributions.js';

const { tCdf, tQuantile, binomialCdf } = await loadDistributions();

describe('the distributions', () => {
  it('agree with SciPy’s quantiles of Student’s t', () => {
    for (const [df, quantile] of [
      [1, 12.706204736175],
      [2, 4.302652729749],
      [4, 2.776445105198],
      [10, 2.228138851986],
      [29, 2.045229642133],
      [99, 1.984216951586],
      [9999, 1.960201263621],
    ] as const) {
      expect(tQuantile(0.975, df)).toBeCloseTo(quantile, 9);
    }
  });

  it('come to the normal distribution with many degrees of freedom', () => {
    for (const [share, normal] of [
      [0.6, 0.2533471031357997],
      [0.8, 0.8416212335729143],
      [0.975, 1.959963984540054],
      [0.995, 2.5758293035489004],
    ] as const) {
      expect(Math.abs(tQuantile(share, 10_000_000) - normal)).toBeLessThan(2e-6);
    }
  });

  it('invert one another', () => {
    for (const df of [1, 2, 3, 7, 30, 500, 99_999]) {
      for (const share of [0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.999]) {
        expect(Math.abs(tCdf(tQuantile(share, df), df) - share)).toBeLessThan(1e-10);
      }
    }
  });

  it('are symmetric, and closed forms where there are some', () => {
    for (const t of [0, 0.3, 1, 2.5, 40]) {
      expect(tCdf(t, 6) + tCdf(-t, 6)).toBeCloseTo(1, 13);
      expect(tCdf(t, 1)).toBeCloseTo(0.5 + Math.atan(t) / Math.PI, 12);
      expect(tCdf(t, 2)).toBeCloseTo(0.5 + t / (2 * Math.sqrt(2 + t * t)), 12);
    }
    expect(tCdf(Number.NEGATIVE_INFINITY, 3)).toBe(0);
    expect(tCdf(-1e9, 100)).toBe(0);
  });

  it('sum binomial chances', () => {
    for (const n of [1, 2, 11, 40]) {
      let choices = 1;
      let sum = 0;
      for (let k = 0; k <= n; k++) {
        sum += choices / 2 ** n;
        expect(binomialCdf(k, n, 0.5)).toBeCloseTo(sum, 12);
        choices = (choices * (n - k)) / (k + 1);
      }
    }
    expect(binomialCdf(0, 100_000, 0.5)).toBe(0);
    // Half of an odd number of coins.
    expect(binomialCdf(49_999, 99_999, 0.5)).toBeCloseTo(0.5, 9);
  });
});
