import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultKs, passAtK, passHatK, passK } from './pass-k.js';
import { digits, runOf } from './testing/run-of.js';

const tries = fc
  .record({ n: fc.integer({ min: 1, max: 100 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ n, share }) => ({ n, c: Math.round(n * share) }));

describe('pass@k and pass^k', () => {
  it('have the chances of draws without replacement', () => {
    expect(passAtK(100, 5, 10)).toBeCloseTo(0.416247633074, 12);
    expect(passAtK(3, 2, 2)).toBe(1);
    expect(passHatK(3, 2, 2)).toBeCloseTo(1 / 3, 15);
    expect(passAtK(4, 0, 4)).toBe(0);
    expect(passHatK(4, 4, 4)).toBe(1);
    expect(passHatK(4, 3, 4)).toBe(0);
  });

  it('are the pass rate with one try', () => {
    fc.assert(
      fc.property(tries, ({ n, c }) => {
        expect(Math.abs(passAtK(n, c, 1) - c / n)).toBeLessThan(1e-12);
        expect(Math.abs(passHatK(n, c, 1) - c / n)).toBeLessThan(1e-12);
      }),
    );
  });

  it('rise and fall with the number of tries, and complement each other', () => {
    fc.assert(
      fc.property(tries, ({ n, c }) => {
        for (let k = 1; k <= n; k++) {
          expect(passAtK(n, c, k)).toBeCloseTo(1 - passHatK(n, n - c, k), 12);
          if (k === n) continue;
          expect(passAtK(n, c, k + 1)).toBeGreaterThanOrEqual(passAtK(n, c, k) - 1e-12);
          expect(passHatK(n, c, k + 1)).toBeLessThanOrEqual(passHatK(n, c, k) + 1e-12);
        }
      }),
    );
  });

  it('are unbiased: over all samples of a size they average to what chance says', () => {
    // Each of 6 tries passes with a chance of 0.3: P(at least one of 3) = 1 − 0.7³.
    let [at, hat] = [0, 0];
    let choices = 1;
    for (let c = 0; c <= 6; c++) {
      const chance = choices * 0.3 ** c * 0.7 ** (6 - c);
      at += chance * passAtK(6, c, 3);
      hat += chance * passHatK(6, c, 3);
      choices = (choices * (6 - c)) / (c + 1);
    }
    expect(at).toBeCloseTo(1 - 0.7 ** 3, 12);
    expect(hat).toBeCloseTo(0.3 ** 3, 12);
  });

  it('leave out datapoints with fewer samples than tries', async () => {
    const { score } = runOf([...digits('111 101 01'), [null, null]]);
    expect(await passK(score, null, 3)).toMatchObject({ k: 3, datapoints: 2, pass_at_k: 1, pass_hat_k: 0.5 });
    expect((await passK(score, null, 2)).datapoints).toBe(3);
    expect(await passK(score, null, 4)).toEqual({
      k: 4,
      datapoints: 0,
      pass_at_k: null,
      pass_at_k_se: null,
      pass_hat_k: null,
      pass_hat_k_se: null,
    });
  });

  it('are shown for powers of two up to and with the repeats', () => {
    expect(defaultKs(1)).toEqual([1]);
    expect(defaultKs(3)).toEqual([1, 2, 3]);
    expect(defaultKs(8)).toEqual([1, 2, 4, 8]);
    expect(defaultKs(100)).toEqual([1, 2, 4, 8, 16, 32, 64, 100]);
  });
});
