import { describe, expect, it } from '@jest/globals';
import { costOfSpan, costSource } from './cost-of-span.js';
import { estimateCost } from './pricing.js';
import { NO_METADATA_VALUES } from '../metadata/metadata.entity.js';
import { STATUS, type StoredSpan } from '../span.entity.js';
import { COVER } from '../usage-attribution/usage-attribution.js';

const START = Date.parse('2026-11-27T12:00:00Z');
const pricing = new Map([
  ['m', { input: 2, output: 8, cached_input: 0.5, source: 'page', service_tiers: { flex: 0.5 } }],
]);

function spanOf(kind: { type: string; [member: string]: unknown }, changes: Partial<StoredSpan> = {}): StoredSpan {
  const model = typeof kind['model'] === 'string' ? kind['model'] : null;
  const [inputTokens, outputTokens] = [kind['input_tokens'] ?? null, kind['output_tokens'] ?? null] as (
    | number
    | null
  )[];
  return {
    ...{ projectId: 'p', id: 's', traceId: 't', parentId: null, name: 'n', provider: null, createHash: null },
    ...NO_METADATA_VALUES,
    ...{ status: STATUS.completed, startedAt: START, endedAt: START, durationMs: 0, cover: null },
    ...{ input: null, output: null, metadata: null, error: null, totalTokens: null, cachedTokens: null, cost: null },
    ...{ kind: JSON.stringify(kind), kindType: kind.type, model, coldDigest: null },
    ...{ inputTokens: inputTokens ?? null, outputTokens: outputTokens ?? null },
    ...changes,
  };
}

const call = { type: 'llm_call', model: 'm', input_tokens: 1_000, cached_input_tokens: 400, output_tokens: 10 };

describe('costSource', () => {
  it.each([
    ['no cost', spanOf(call), null],
    ['a cost that was counted', spanOf(call, { cost: 1 }), 'table'],
    ['a cost of its own', spanOf({ ...call, cost: 1 }, { cost: 1 }), 'sender'],
    [
      'a cost that its provider reported',
      spanOf({ ...call, cost: 1 }, { cost: 1, cover: COVER.providerCost }),
      'provider',
    ],
    ['the mark of such and a cost that was counted', spanOf(call, { cost: 1, cover: COVER.providerCost }), 'table'],
    ['a cost of its own that is none', spanOf({ ...call, cost: 'free' }, { cost: 1 }), 'table'],
    ['another kind', spanOf({ type: 'tool_call', cost: 1 }, { cost: 1 }), 'sender'],
    ['an embedding', spanOf({ ...call, type: 'embedding' }, { cost: 1 }), 'table'],
    ['a custom span of OTLP', spanOf({ ...call, type: 'custom' }, { cost: 1, cover: COVER.otlp }), 'table'],
  ])('of a span with %s', (_what, span, source) => {
    expect(costSource(span)).toBe(source);
  });
});

describe('costOfSpan', () => {
  it('has the parts of a cost that was counted', () => {
    const kind = { ...call, service_tier: 'flex' };
    expect(costOfSpan(spanOf(kind, { cost: 0.00074 }), pricing)).toEqual({
      ...{ total: 0.00074, source: 'table', model: 'm', service_tier: 'flex', price_source: 'page' },
      parts: [
        { part: 'input', quantity: 600, unit_price: 1, per: 1_000_000, cost: 0.0006 },
        { part: 'cached', quantity: 400, unit_price: 0.25, per: 1_000_000, cost: 0.0001 },
        { part: 'output', quantity: 10, unit_price: 4, per: 1_000_000, cost: 0.00004 },
      ],
    });
  });

  it('has no parts of a cost that was reported, or counted by other prices', () => {
    expect(costOfSpan(spanOf({ ...call, cost: 3 }, { cost: 3 }), pricing)).toEqual({
      total: 3,
      source: 'sender',
      parts: [],
    });
    for (const prices of [pricing, new Map()]) {
      expect(costOfSpan(spanOf(call, { cost: 7 }), prices)).toEqual({
        ...{ total: 7, source: 'table', model: 'm', service_tier: null, price_source: null, parts: [] },
        reason: 'the price of "m" was another one',
      });
    }
  });

  it('says why there is no cost', () => {
    const reasonOf = (span: StoredSpan): string | undefined => {
      const { reason, ...rest } = costOfSpan(span, pricing);
      expect(rest).toEqual({ total: null, source: null, parts: null });
      return reason;
    };
    expect(reasonOf(spanOf({ ...call, model: 'x"y' }))).toBe('no price for model "x\\"y"');
    expect(reasonOf(spanOf({ ...call, cost: 1 }, { status: STATUS.running, cost: 1 }))).toBe('the span is running');
    expect(reasonOf(spanOf({ type: 'tool_call' }))).toBe('spans of kind "tool_call" have no price');
    expect(reasonOf(spanOf({ type: 'embedding' }))).toBe('the span names no model');
    expect(reasonOf(spanOf({ type: 'llm_call', model: 'm' }))).toBe('the span has no token counts');
    expect(reasonOf(spanOf(call))).toBe('"m" had no price when the span ended');
    expect(reasonOf(spanOf({ ...call, output_image_tokens: 5 }))).toBe('"m" has no price for pictures');
  });

  it('counts as the span was counted', () => {
    const usage = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 10 };
    const cost = estimateCost(pricing, 'm', usage, START);
    expect(costOfSpan(spanOf(call, { cost }), pricing).parts).toHaveLength(3);
  });
});
