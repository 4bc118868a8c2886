import { describe, expect, it } from '@jest/globals';
import type { SpanCost } from '@spandrel/contract';
import { costSourceText, partName, unitText } from './cost-words.js';

const cost = (members: Partial<SpanCost>): SpanCost => ({
  ...{ total: 1, source: 'table', model: 'm', service_tier: null, price_source: 'a table', parts: [] },
  ...members,
});

describe('a cost in words', () => {
  it.each([
    [{}, 'By the price table (a table) for m.'],
    [{ service_tier: 'flex' }, 'By the price table (a table) for m, service tier flex.'],
    [{ source: 'provider' }, 'Reported by the provider.'],
    [{ source: 'sender' }, 'Reported by the sender.'],
    [{ price_source: null, reason: 'it was another one' }, 'By the price table for m. It was another one.'],
    [{ source: null, total: null, parts: null, reason: 'no price for "m"' }, 'No price for "m".'],
  ] as const)('%j: %s', (members, text) => {
    expect(costSourceText(cost(members))).toBe(text);
  });

  it('names parts and prices', () => {
    expect(['cached', 'anything'].map(partName)).toEqual(['Input from the cache', 'anything']);
    expect([unitText(2.5, 1_000_000), unitText(10, 1_000), unitText(0.01, 1)]).toEqual([
      '$2.50 per million',
      '$10.00 per thousand',
      '$0.01',
    ]);
  });
});
