import { describe, expect, it } from '@jest/globals';
import { estimateCost, loadPricing } from './pricing.js';

const tokens = (inputTokens: number | null, outputTokens: number | null, cachedInputTokens: number | null = null) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
});

describe('the price table', () => {
  it.each([
    ['gpt-4o', { input: 2.5, output: 10, cached_input: 1.25 }],
    ['gpt-4o-2024-08-06', { input: 2.5, output: 10, cached_input: 1.25 }],
    ['gpt-4o-mini', { input: 0.15, output: 0.6, cached_input: 0.075 }],
    ['gpt-4.1', { input: 2, output: 8, cached_input: 0.5 }],
    ['claude-3-haiku-20240307', { input: 0.25, output: 1.25, cached_input: 0.03 }],
    ['claude-3-5-sonnet-20241022', { input: 3, output: 15, cached_input: 0.3 }],
    ['claude-sonnet-4-5', { input: 3, output: 15, cached_input: 0.3 }],
    ['gemini-2.5-pro', { input: 1.25, output: 10, cached_input: 0.125 }],
    ['text-embedding-3-small', { input: 0.02, output: 0 }],
  ])('has %s at its maker’s price', (model, price) => {
    expect(loadPricing().get(model)).toEqual(price);
  });

  it('takes prices of the user over its own', () => {
    const table = loadPricing({ 'gpt-4o': { input: 1, output: 2 }, mine: { input: 3, output: 4 } });
    expect([table.get('gpt-4o'), table.get('mine')]).toEqual([
      { input: 1, output: 2 },
      { input: 3, output: 4 },
    ]);
  });

  it('takes prices of plugins over its own and under those of the user, the first plugin before the next', () => {
    const table = loadPricing({ users: { input: 1, output: 1 } }, [
      { house: { input: 2, output: 2 }, users: { input: 3, output: 3 }, 'gpt-4o': { input: 4, output: 4 } },
      { house: { input: 5, output: 5 }, other: { input: 6, output: 6 } },
    ]);
    expect(['users', 'house', 'gpt-4o', 'other'].map((model) => table.get(model)?.input)).toEqual([1, 2, 4, 6]);
  });

  it('matches names exactly', () => {
    for (const name of ['GPT-4o', ' gpt-4o', 'gpt-4o-', '__proto__', 'constructor']) {
      expect(loadPricing().get(name)).toBeUndefined();
    }
  });
});

describe('estimateCost', () => {
  const table = new Map([
    ['m', { input: 3, output: 15, cached_input: 0.3 }],
    ['uncached', { input: 3, output: 15 }],
  ]);

  it.each([
    ['m', tokens(1000, 100), 0.0045],
    ['m', tokens(1000, null), 0.003],
    ['m', tokens(null, 100), 0.0015],
    ['m', tokens(null, null), null],
    ['m', tokens(0, 0), 0],
    ['m', tokens(1000, 0, 400), 0.00192],
    ['m', tokens(100, 0, 400), 0.00003],
    ['uncached', tokens(1000, 0, 400), 0.003],
    ['other', tokens(1, 1), null],
  ] as const)('%s with %j costs %s', (model, counts, cost) => {
    expect(estimateCost(table, model, counts)).toBe(cost);
  });
});
