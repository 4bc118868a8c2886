import type { BucketSeries, TimeBucket } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { FIGURES, KEYS_MAX, seriesOf, shownKeys } from './figures.js';
import { MODELS_MAX, modelsOf, modelsOfSummary, totalsOf } from './sums.js';

const sums = (span_count: number, cost: number | null, avg_latency_ms: number | null = null) => ({
  ...{ span_count, cost, avg_latency_ms },
  ...{ unpriced_count: 0, tokens: span_count * 10, error_count: 0, finished_count: span_count },
  ...{ input_tokens: span_count * 7, output_tokens: span_count * 3, cached_input_tokens: span_count },
});
const bucket = (...series: BucketSeries[]): TimeBucket => ({
  timestamp: '2026-03-02T00:00:00.000Z',
  ...sums(
    series.reduce((sum, one) => sum + one.span_count, 0),
    series.reduce<number | null>((sum, { cost }) => (cost === null ? sum : (sum ?? 0) + cost), null),
  ),
  series,
});

describe('sums of buckets', () => {
  it('have no dust of adding doubles, and no latency of what still runs', () => {
    const buckets = [
      bucket({ key: 'completed', ...sums(3, 0.1, 100) }, { key: 'running', ...sums(5, null) }),
      bucket({ key: 'failed', ...sums(1, 0.2, 500) }),
    ];
    const totals = { spans: 9, tokens: 90, cost: 0.3, finished: 4, averageMs: 200 };
    expect(totalsOf(buckets)).toEqual({ ...totals, unpriced: 0, errors: 0 });
    const nothing = { spans: 0, tokens: 0, cost: null, finished: 0, averageMs: null, unpriced: 0, errors: 0 };
    expect(totalsOf([])).toEqual(nothing);
  });

  it('name models by what they cost, and others only where there are too many models', () => {
    const buckets = [
      bucket({ key: 'a', ...sums(1, 0.1) }, { key: null, ...sums(9, 5) }),
      bucket({ key: 'b', ...sums(1, 0.2) }, { key: 'a', ...sums(2, null) }),
    ];
    expect(modelsOf(buckets)).toEqual([
      { model: 'b', calls: 1, tokens: 10, cost: 0.2 },
      { model: 'a', calls: 3, tokens: 30, cost: 0.1 },
    ]);
    const many = Array.from({ length: MODELS_MAX }, (_, at) => ({ key: `m${at}`, ...sums(1, 1) }));
    expect(modelsOf([bucket(...many, { key: null, ...sums(2, 9) })]).at(-1)).toMatchObject({ model: null, calls: 2 });
    const models = { x: { count: 1, cost: 0, tokens: 2, unpriced_count: 0 } };
    expect(modelsOfSummary({ models } as never)).toEqual([{ model: 'x', calls: 1, tokens: 2, cost: 0 }]);
  });

  it('are drawn by key in one order, without keys that have none of it', () => {
    const buckets = [
      bucket({ key: null, ...sums(4, null) }),
      bucket({ key: 'a', ...sums(1, 1) }, { key: 'b', ...sums(2, 3) }),
    ];
    const keys = shownKeys(buckets, 'model');
    expect(keys.map(({ label }) => label)).toEqual(['b', 'a', 'No model']);
    const drawn = (name: string) =>
      seriesOf(
        FIGURES.find((figure) => figure.name === name)!,
        buckets,
        keys,
      ).map(({ label, values }) => [label, values]);
    expect(drawn('Spans')).toEqual([
      ['b', [0, 2]],
      ['a', [0, 1]],
      ['No model', [4, 0]],
    ]);
    expect(drawn('Cost')).toEqual([
      ['b', [0, 3]],
      ['a', [0, 1]],
    ]);
    expect(drawn('Errors')).toHaveLength(3);
  });

  it('say others where keys beyond those distinguished may be among them', () => {
    const keysOf = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `m${at}`, ...sums(1, 1) }));
    const lastOf = (count: number, split: 'model' | 'provider') =>
      shownKeys([bucket(...keysOf(count), { key: null, ...sums(2, 9) })], split).at(-1)?.label;
    expect(lastOf(KEYS_MAX - 1, 'provider')).toBe('No provider');
    expect(lastOf(KEYS_MAX, 'provider')).toBe('Others');
    expect(lastOf(KEYS_MAX, 'model')).toBe('Others');
  });
});
