import { describe, expect, it } from '@jest/globals';
import { readPrices } from './price-file.js';

const faultsOf = (value: unknown): string[] => {
  const read = readPrices(typeof value === 'string' ? value : JSON.stringify(value), 'file');
  return 'faults' in read ? read.faults : [];
};

describe('readPrices', () => {
  it('reads the form of the built-in table', () => {
    const models = { 'gpt-9': { input: { base: 1, tiers: [{ above: 10, price: 2 }] }, output: 2, source: 'page' } };
    expect(readPrices(JSON.stringify({ models, unit: 'any' }), 'file')).toEqual({ table: { source: 'file', models } });
    expect(readPrices(JSON.stringify({ source: 'us', models: {} }), 'file')).toEqual({
      table: { source: 'us', models: {} },
    });
  });

  it('reads the data of genai-prices, and adds the service tiers that it lacks', () => {
    const providers = [
      {
        id: 'openai',
        name: 'OpenAI',
        pricing_urls: ['https://example.com'],
        models: [
          { id: 'gpt-5', match: { or: [{ equals: 'gpt-5' }, { regex: '^gpt-5-\\d' }] }, prices: { input_mtok: 3 } },
        ],
      },
    ];
    expect(readPrices(JSON.stringify(providers), 'file')).toEqual({
      table: {
        source: 'file',
        models: {
          'gpt-5': { input: 3, output: 0, service_tiers: expect.objectContaining({ batch: 0.5, priority: 2 }) },
        },
      },
    });
  });

  it('names the place of each fault', () => {
    expect(faultsOf('{"models":')).toEqual([expect.stringMatching(/^is not JSON: /)]);
    expect(faultsOf('7')).toEqual([expect.stringMatching(/expected object/i)]);
    expect(faultsOf({})).toEqual([expect.stringMatching(/^models: /)]);
    const price = { input: 1, output: 1 };
    const faults = faultsOf({
      models: {
        a: { input: -1, output: 1 },
        b: { input: 1 },
        c: { ...price, cache: 2 },
        d: { ...price, times: [{ from: '25:00', until: '02:00', prices: price }] },
        e: { ...price, service_tiers: { batch: 'half' } },
      },
    });
    expect(faults).toEqual([
      expect.stringMatching(/^models\.a\.input: .*>=0/),
      'models.b.output: must be a number from 0, or { base, tiers: [{ above, price }] }',
      expect.stringMatching(/^models\.c: .*cache/),
      'models.d.times[0].from: must be HH:MM in UTC',
      'models.e.service_tiers.batch: must be a factor from 0, or prices by part',
    ]);
    expect(faultsOf([{ id: 'p', models: [{ id: 'm', prices: { input_mtok: 'x' } }] }])).toHaveLength(1);
  });

  it('lists the first faults of many', () => {
    const models = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`m${index}`, { input: 1 }]));
    const faults = faultsOf({ models });
    expect([faults.length, faults.at(-1)]).toEqual([21, 'and 30 more']);
  });
});
