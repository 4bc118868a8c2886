import { describe, expect, it } from '@jest/globals';
import type { ModelPrice } from '@spandrel/plugin-api';
import { costParts, type PricedUsage } from './cost-parts.js';

const NOW = Date.parse('2026-11-27T12:00:00Z');

const price: ModelPrice = {
  input: 2,
  output: 8,
  cached_input: 0.5,
  cache_write: 2.5,
  cache_write_1h: 4,
  input_audio: 32,
  cached_input_audio: 1,
  output_audio: 64,
  input_image: 5,
  output_image: 30,
  output_reasoning: 3,
  web_search_per_thousand: 10,
};

/** Quantities and costs by part. */
const partsOf = (usage: PricedUsage, of: ModelPrice = price, at = NOW): Record<string, [number, number]> =>
  Object.fromEntries(
    (costParts(of, usage, at)?.parts ?? []).map(({ part, quantity, cost }) => [part, [quantity, cost]]),
  );

const totalOf = (usage: PricedUsage, of: ModelPrice = price, at = NOW): number | undefined =>
  costParts(of, usage, at)?.total;

describe('costParts', () => {
  it('prices each part by itself, and adds up to the total', () => {
    const usage = {
      ...{ inputTokens: 1_000_000, cachedInputTokens: 200_000, cacheWriteTokens: 300_000, cacheWrite1hTokens: 100_000 },
      ...{ inputAudioTokens: 50_000, inputImageTokens: 20_000, outputTokens: 500_000, reasoningTokens: 100_000 },
      ...{ outputAudioTokens: 10_000, outputImageTokens: 5_000, webSearchRequests: 3 },
    };
    expect(partsOf(usage)).toEqual({
      input: [430_000, 0.86],
      cached: [200_000, 0.1],
      cache_write: [200_000, 0.5],
      cache_write_1h: [100_000, 0.4],
      input_audio: [50_000, 1.6],
      input_image: [20_000, 0.1],
      output: [385_000, 3.08],
      reasoning: [100_000, 0.3],
      output_audio: [10_000, 0.64],
      output_image: [5_000, 0.15],
      web_search: [3, 0.03],
    });
    expect(totalOf(usage)).toBe(7.76);
  });

  it('has prices of the whole for parts without one', () => {
    const plain = { input: 2, output: 8 };
    const usage = {
      ...{ inputTokens: 1_000, cachedInputTokens: 100, cacheWriteTokens: 200, cacheWrite1hTokens: 50 },
      ...{ inputAudioTokens: 300, outputTokens: 100, outputAudioTokens: 20, reasoningTokens: 60, webSearchRequests: 2 },
    };
    expect(totalOf(usage, plain)).toBe(0.0028);
    expect(partsOf(usage, plain)).toEqual({
      input: [700, 0.0014],
      cached: [100, 0.0002],
      cache_write: [150, 0.0003],
      cache_write_1h: [50, 0.0001],
      output: [100, 0.0008],
    });
    expect(partsOf({ inputTokens: 10, cacheWrite1hTokens: 10 }, { ...plain, cache_write: 2.5 })).toEqual({
      cache_write_1h: [10, 0.000025],
    });
  });

  it('never has more of a part than of what it is a part of', () => {
    const usage = {
      ...{ inputTokens: 100, cachedInputTokens: 80, cacheWriteTokens: 900, cacheWrite1hTokens: 1_000 },
      ...{ outputTokens: 10, outputAudioTokens: 20, reasoningTokens: 30 },
    };
    const quantities = Object.entries(partsOf(usage)).map(([part, [quantity]]) => [part, quantity]);
    expect(quantities).toEqual([
      ['cached', 80],
      ['cache_write_1h', 20],
      ['output_audio', 10],
    ]);
  });

  it('takes what came from a cache for text, as far as there is text', () => {
    const usage = { inputTokens: 100, inputAudioTokens: 40, cachedInputTokens: 70 };
    expect(partsOf(usage)).toMatchObject({
      cached: [60, 0.00003],
      cached_audio: [10, 0.00001],
      input_audio: [30, 0.00096],
    });
    expect(partsOf(usage)).not.toHaveProperty('input');
  });

  it('takes for audio what the provider says of its cache', () => {
    const usage = { inputTokens: 100, inputAudioTokens: 40, cachedInputTokens: 70, cachedAudioTokens: 30 };
    expect(partsOf(usage)).toMatchObject({ cached: [40, 0.00002], cached_audio: [30, 0.00003], input: [20, 0.00004] });
  });

  it.each([
    [200_000, 0.2],
    [200_001, 0.400002],
    [300_000, 1.2],
  ])('prices all of a call by its %i input tokens', (inputTokens, cost) => {
    const tiered: ModelPrice = {
      input: {
        base: 1,
        tiers: [
          { above: 250_000, price: 4 },
          { above: 200_000, price: 2 },
        ],
      },
      output: 0,
    };
    expect(totalOf({ inputTokens }, tiered)).toBe(cost);
  });

  it('prices the output by the tier of the input', () => {
    const tiered: ModelPrice = { input: 0, output: { base: 10, tiers: [{ above: 10, price: 20 }] } };
    expect(totalOf({ inputTokens: 10, outputTokens: 100 }, tiered)).toBe(0.001);
    expect(totalOf({ inputTokens: 11, outputTokens: 100 }, tiered)).toBe(0.002);
  });

  it('has factors and prices of service tiers, but not for searches', () => {
    const tiered: ModelPrice = {
      ...{ input: 0.15, output: 0.6, cached_input: 0.075, web_search_per_thousand: 10 },
      service_tiers: {
        batch: 0.5,
        priority: { input: 0.25, cached_input: 0.125, output: 1 },
        mixed: { factor: 2, cached_input: 0.075 },
      },
    };
    const usage = { inputTokens: 1_000_000, cachedInputTokens: 500_000, outputTokens: 1_000_000, webSearchRequests: 1 };
    const cost = (serviceTier: string | null): number | undefined => totalOf({ ...usage, serviceTier }, tiered);
    expect(cost('batch')).toBe(0.36625);
    expect(cost('priority')).toBe(1.1975);
    expect(cost('PRIORITY')).toBe(1.1975);
    expect(cost('ON_DEMAND_PRIORITY')).toBe(1.1975);
    expect(cost('mixed')).toBe(1.3975);
    for (const standard of [null, 'default', 'standard', 'auto', 'scale', '', '__proto__', 'constructor']) {
      expect(cost(standard)).toBe(0.7225);
    }
  });

  it('scales the tiers of a price by the factor of a service tier', () => {
    const tiered: ModelPrice = {
      input: { base: 1.25, tiers: [{ above: 200_000, price: 2.5 }] },
      output: 0,
      service_tiers: { flex: 0.5 },
    };
    expect(totalOf({ inputTokens: 400_000, serviceTier: 'flex' }, tiered)).toBe(0.5);
  });

  it('has prices by the hour and from a date on, the last of those that hold', () => {
    const timed: ModelPrice = {
      input: 1,
      output: 1,
      service_tiers: { batch: 0.5 },
      times: [
        { since: '2027-01-01', prices: { input: 2, output: 2 } },
        { from: '01:00', until: '04:00', prices: { input: 3, output: 3 } },
        { from: '22:30', until: '00:30', prices: { input: 4, output: 4 } },
      ],
    };
    const cost = (at: string, serviceTier?: string): number | undefined =>
      totalOf({ inputTokens: 1_000_000, serviceTier }, timed, Date.parse(at));
    expect(cost('2026-12-31T12:00:00Z')).toBe(1);
    expect(cost('2027-01-01T00:30:00Z')).toBe(2);
    expect(cost('2026-12-31T01:00:00Z')).toBe(3);
    expect(cost('2026-12-31T04:00:00Z')).toBe(1);
    expect(cost('2027-06-01T23:00:00Z')).toBe(4);
    expect(cost('2026-06-01T00:29:59Z')).toBe(4);
    expect(cost('2026-06-01T00:29:59Z', 'batch')).toBe(2);
  });

  it('has prices of hours on days of the week', () => {
    const timed: ModelPrice = {
      ...{ input: 1, output: 1 },
      times: [{ days: [1, 2, 3, 4, 5], from: '01:00', until: '04:00', prices: { input: 2, output: 2 } }],
    };
    const cost = (at: string): number | undefined => totalOf({ inputTokens: 1_000_000 }, timed, Date.parse(at));
    expect(cost('2026-11-27T02:00:00Z')).toBe(2);
    expect(cost('2026-11-28T02:00:00Z')).toBe(1);
  });

  it('is not known of pictures whose model has no price for any', () => {
    const made = { inputTokens: 1_000, outputTokens: 5_000, outputImageTokens: 4_000 };
    expect(costParts({ input: 2, output: 8 }, made, NOW)).toBeNull();
    expect(totalOf({ ...made, outputImageTokens: 0 }, { input: 2, output: 8 })).toBe(0.042);
    expect(totalOf(made, { input: 5, output: 40, input_image: 10 })).toBe(0.205);
  });

  it('has a fee for each call', () => {
    expect(totalOf({ inputTokens: 0 }, { input: 1, output: 1, request_per_thousand: 12 })).toBe(0.012);
  });

  it('counts a known count alone, and nothing where none is known', () => {
    expect(totalOf({ inputTokens: 1_000 })).toBe(0.002);
    expect(totalOf({ outputTokens: 1_000, inputTokens: null })).toBe(0.008);
    expect(costParts(price, { webSearchRequests: 3 }, NOW)).toBeNull();
    expect(costParts(price, { inputTokens: 0, outputTokens: 0 }, NOW)).toEqual({ total: 0, parts: [] });
  });

  it('shows no binary fraction', () => {
    expect(totalOf({ inputTokens: 3 }, { input: 0.1, output: 0 })).toBe(0.0000003);
    expect(totalOf({ inputTokens: 7, serviceTier: 't' }, { input: 0.1, output: 0, service_tiers: { t: 1.1 } })).toBe(
      0.00000077,
    );
  });
});
