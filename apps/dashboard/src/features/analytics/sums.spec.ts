import { describe, expect, it } from '@jest/globals';
import { keyAddress } from './analytics-search.js';
import { FIGURES, KEYS_MAX, queryOf, seriesOf, shownKeys } from './figures.js';
import { describeChange } from './sums.js';

const sums = (span_count: number, cost: number | null) => ({
  ...{ span_count, cost, avg_latency_ms: null, unpriced_count: 0, error_count: 0, finished_count: span_count },
  ...{ tokens: span_count * 10, input_tokens: span_count * 7, output_tokens: span_count * 3 },
  cached_input_tokens: span_count * 2,
});

describe('sums of figures', () => {
  it('say how they changed', () => {
    expect([describeChange(3, 2), describeChange(1, 2), describeChange(1.005, 1)]).toEqual(['+50%', '−50%', '+0.5%']);
    expect([describeChange(2, 2), describeChange(2, 0), describeChange(2, null), describeChange(null, 2)]).toEqual([
      '±0%',
      '–',
      '–',
      '–',
    ]);
  });

  it('are drawn by key in one order, without keys that have none of it; tokens in their parts', () => {
    const buckets = [
      { timestamp: '', ...sums(4, null), series: [{ key: null, ...sums(4, null) }] },
      {
        timestamp: '',
        ...sums(3, 4),
        series: [
          { key: 'b', ...sums(2, 3) },
          { key: 'a', ...sums(1, 1) },
        ],
      },
    ];
    const keys = shownKeys([{ key: 'b' }, { key: 'a' }, { key: null }], 'model');
    expect(keys.map(({ label }) => label)).toEqual(['b', 'a', 'No model']);
    const drawn = (name: string, of: typeof keys | null) =>
      seriesOf(
        FIGURES.find((figure) => figure.name === name)!,
        buckets,
        of,
      ).map(({ label, values }) => [label, values]);
    expect(drawn('Cost', keys)).toEqual([
      ['b', [0, 3]],
      ['a', [0, 1]],
    ]);
    expect(drawn('Tokens', null)).toEqual([
      ['Input', [20, 15]],
      ['Cached input', [8, 6]],
      ['Output', [12, 9]],
    ]);
    const many = Array.from({ length: KEYS_MAX }, (_, at) => ({ key: `m${at}` }));
    expect(shownKeys([...many, { key: null }], 'user').at(-1)?.label).toBe('Others');
  });

  it('count LLM calls for latency and errors, all spans for costs, and lead to what they count', () => {
    const figure = (name: string) => FIGURES.find((one) => one.name === name)!;
    expect([queryOf(figure('Errors'), {}).of, queryOf(figure('Cost'), { of: 'traces' }).of]).toEqual([
      'llm_calls',
      'spans',
    ]);
    const since = '2026-01-01T00:00:00Z';
    expect(keyAddress({ split_by: 'user', of: 'llm_calls' }, 'ada', { since })).toBe(
      '/spans?user_id=ada&since=2026-01-01T00%3A00%3A00Z&kind=llm_call',
    );
    expect(keyAddress({ split_by: 'metadata.env', of: 'spans' }, 'prod', {})).toBe('/traces?metadata.env=prod');
  });
});
