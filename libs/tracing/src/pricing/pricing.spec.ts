import { describe, expect, it } from '@jest/globals';
import { estimateCost, findPrice, loadPricing } from './pricing.js';

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
    ['claude-haiku-4-5', { input: 1, output: 5, cached_input: 0.1, cache_write: 1.25, cache_write_1h: 2 }],
    ['claude-sonnet-4-5', { input: { base: 3, tiers: [{ above: 200_000, price: 6 }] } }],
    ['gemini-2.5-pro', { output: { base: 10, tiers: [{ above: 200_000, price: 15 }] } }],
    ['gpt-realtime', { input_audio: 32, cached_input_audio: 0.4, output_audio: 64, input_image: 5 }],
    ['gpt-5.2', { web_search_per_thousand: 10, service_tiers: { batch: 0.5, flex: 0.5, priority: 2, fast: 2 } }],
    ['claude-opus-4-6', { input: 5, service_tiers: { batch: 0.5, fast: 6 } }],
    ['sonar', { input: 1, output: 1, request_per_thousand: 12 }],
    ['text-embedding-3-small', { input: 0.02, output: 0 }],
  ])('has %s at its maker’s price', (model, price) => {
    expect(loadPricing().get(model)).toMatchObject({ ...price, source: expect.stringContaining('genai-prices') });
  });

  it.each([
    ['gpt-4o-search-preview', 0.0285],
    ['gpt-4o-mini-search-preview-2025-03-11', 0.02521],
    ['gpt-5-search-api', 0.01225],
    // Names of Bedrock as OpenLLMetry has them; what its regions do not have at one price has none.
    ['nova-pro-v1:0', 0.00112],
    ['claude-3-5-sonnet-20241022-v2:0', 0.0045],
    ['claude-sonnet-4-5-20250929-v1:0', null],
  ])('has the fee of a search with every call, and names of Bedrock without a vendor: %s', (model, cost) => {
    expect(estimateCost(loadPricing(), model, { inputTokens: 1_000, outputTokens: 100 })).toBe(cost);
  });

  it('takes prices of the user over its own', () => {
    const table = loadPricing({ 'gpt-4o': { input: 1, output: 2 }, mine: { input: 3, output: 4 } });
    const source = 'pricing.models';
    expect([table.get('gpt-4o'), table.get('mine')]).toEqual([
      { input: 1, output: 2, source },
      { input: 3, output: 4, source },
    ]);
  });

  it('takes prices of a file, of plugins and of the user over its own, the first plugin before the next', () => {
    const price = (input: number) => ({ input, output: input });
    const table = loadPricing(
      { users: price(1) },
      [
        { source: 'one', models: { house: price(2), users: price(3), 'gpt-4o': price(4) } },
        { source: 'two', models: { house: price(5), other: price(6) } },
      ],
      {
        source: 'file',
        models: { other: price(7), filed: price(8), users: price(9), cited: { ...price(10), source: 'page' } },
      },
    );
    const found = ['users', 'house', 'gpt-4o', 'other', 'filed', 'cited'].map((model) => table.get(model));
    expect(found.map((of) => [of?.input, of?.source])).toEqual([
      [1, 'pricing.models'],
      [2, 'one'],
      [4, 'one'],
      [6, 'two'],
      [8, 'file'],
      [10, 'page'],
    ]);
  });

  it('matches names exactly', () => {
    for (const name of ['GPT-4o', ' gpt-4o', 'gpt-4o-', '__proto__', 'constructor']) {
      expect(loadPricing().get(name)).toBeUndefined();
    }
  });
});

describe('findPrice', () => {
  it('has the price of a fine-tuned base for its models, unless they have their own', () => {
    const table = new Map([
      ['ft:base', { input: 1, output: 1 }],
      ['ft:base:org:own:1', { input: 2, output: 2 }],
      ['base', { input: 3, output: 3 }],
    ]);
    const inputOf = (model: string) => findPrice(table, model)?.input;
    expect(['ft:base:org:name:1', 'ft:base::x:ckpt-step-9', 'ft:base', 'ft:base:org:own:1'].map(inputOf)).toEqual([
      1, 1, 1, 2,
    ]);
    expect(['ft:bas', 'ft:', 'base:x', 'ft:other:org:n:1'].map(inputOf)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(findPrice(loadPricing(), 'ft:gpt-4o-mini-2024-07-18:acme::A1')).toMatchObject({ input: 0.3, output: 1.2 });
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
