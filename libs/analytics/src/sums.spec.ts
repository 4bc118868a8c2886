import { describe, expect, it } from '@jest/globals';
import { costOfSums, latencyOfSums } from './sums.js';

const PRICED = { priced: 1, unpriced: 0 };
const NOTHING = { usd: 0, micro: 0, pico: 0 };

describe('sums', () => {
  it('give dollars to the digit, whatever the parts have carried', () => {
    expect(costOfSums({ ...PRICED, usd: 0, micro: 100_000, pico: 0 })).toBe(0.1);
    expect(costOfSums({ ...PRICED, usd: 1, micro: 2_300_000, pico: 1_000_001 })).toBe(3.300001000001);
    expect(costOfSums({ ...PRICED, ...NOTHING })).toBe(0);
    // 40 million spans of nearly a dollar, whose trillionths would be beyond 2^53.
    expect(costOfSums({ ...PRICED, usd: 0, micro: 40e6 * 999_999, pico: 40e6 * 999_999 })).toBe(39_999_999.99996);
  });

  it('give no cost where nothing but unpriced spans is added up, and 0 where nothing is', () => {
    expect(costOfSums({ ...NOTHING, priced: 0, unpriced: 1 })).toBeNull();
    expect(costOfSums({ ...NOTHING, priced: 1, unpriced: 1 })).toBe(0);
    expect(costOfSums({ ...NOTHING, priced: 0, unpriced: 0 })).toBe(0);
  });

  it('give no latency without an end', () => {
    expect(latencyOfSums({ finished: 0, durationMs: 0 })).toBeNull();
    expect(latencyOfSums({ finished: 2, durationMs: 5 })).toBe(2.5);
  });
});
