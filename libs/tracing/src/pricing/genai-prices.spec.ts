import { describe, expect, it } from '@jest/globals';
import { addServiceTiers, pricesOfProviders, toModelPrice } from './genai-prices.js';

const NOW = new Date('2026-11-27T00:00:00Z');

describe('toModelPrice', () => {
  it('has all prices that there is a place for', () => {
    const prices = {
      ...{ input_mtok: { base: 1, tiers: [{ start: 200_000, price: 2 }] }, output_mtok: 3, cache_read_mtok: 0.1 },
      ...{ cache_write_mtok: 1.25, cache_write_1h_mtok: 2, input_audio_mtok: 4, cache_audio_read_mtok: 0.4 },
      ...{ output_audio_mtok: 5, input_image_mtok: 6, cache_image_read_mtok: 0.6, output_image_mtok: 7 },
      ...{ output_reasoning_mtok: 8, web_searches_kcount: 10, requests_kcount: 12, audio_hours: 0.3 },
    };
    expect(toModelPrice(prices, NOW)).toEqual({
      input: { base: 1, tiers: [{ above: 200_000, price: 2 }] },
      ...{ output: 3, cached_input: 0.1, cache_write: 1.25, cache_write_1h: 2 },
      ...{ input_audio: 4, cached_input_audio: 0.4, output_audio: 5 },
      ...{ input_image: 6, cached_input_image: 0.6, output_image: 7, output_reasoning: 8 },
      ...{ web_search_per_thousand: 10, request_per_thousand: 12 },
    });
  });

  it('has none of models that are not sold by the token', () => {
    expect(toModelPrice({}, NOW)).toBeUndefined();
    expect(toModelPrice({ audio_hours: 0.36 }, NOW)).toBeUndefined();
    expect(toModelPrice({ input_mtok: 0.02 }, NOW)).toEqual({ input: 0.02, output: 0 });
  });

  it('leaves out prices that have ended, and keeps those to come and those of hours', () => {
    const priced = (input_mtok: number) => ({ prices: { input_mtok } });
    const prices = [
      priced(1),
      { constraint: { start_date: '2026-08-17' }, ...priced(2) },
      { constraint: { start_time: '01:00:00Z', end_time: '04:00:00Z' }, ...priced(4) },
      { constraint: { start_date: '2027-01-01' }, ...priced(8) },
    ];
    expect(toModelPrice(prices, NOW)).toEqual({
      ...{ input: 2, output: 0 },
      times: [
        { from: '01:00', until: '04:00', prices: { input: 4, output: 0 } },
        { since: '2027-01-01', prices: { input: 8, output: 0 } },
      ],
    });
  });
});

describe('pricesOfProviders', () => {
  it('has models by their exact names, those of their maker before those of others', () => {
    const model = (id: string, input_mtok: number, match: object = { equals: id }) => ({
      id,
      match,
      prices: { input_mtok },
    });
    const providers = [
      { id: 'reseller', models: [model('m', 1), model('only', 2)] },
      { id: 'openai', models: [model('m', 3, { or: [{ equals: 'm-2' }, { starts_with: 'm-' }] })] },
    ];
    const prices = pricesOfProviders(providers, NOW, (_provider, _model, price) => price);
    expect(Object.entries(prices).map(([name, { input }]) => [name, input])).toEqual([
      ['m', 3],
      ['m-2', 3],
      ['only', 2],
    ]);
  });
});

describe('addServiceTiers', () => {
  const add = addServiceTiers([
    { provider: 'p', models: 'm.*', source: 'page', tiers: { batch: 0.5, priority: 2 } },
    { provider: 'p', models: 'm-mini', source: 'page', tiers: { priority: 1.8 } },
    { provider: 'g', models: 'g', source: 'page', tiers: { batch: 0.5 }, unchanged: ['cached_input', 'input_audio'] },
  ]);
  const price = { input: 1, output: 2, cached_input: 0.1 };

  it('adds what is said of the whole name, the later rule before the earlier one', () => {
    expect(add('p', 'm', price)).toEqual({ ...price, service_tiers: { batch: 0.5, priority: 2 } });
    expect(add('p', 'm-mini', price)).toEqual({ ...price, service_tiers: { batch: 0.5, priority: 1.8 } });
    expect(add('p', 'xm', price)).toBe(price);
    expect(add('q', 'm', price)).toBe(price);
  });

  it('keeps the prices of parts that cost the same in the tier', () => {
    const tiers = { batch: { factor: 0.5, cached_input: 0.1 } };
    expect(add('g', 'g', price)).toEqual({ ...price, service_tiers: tiers });
  });
});
