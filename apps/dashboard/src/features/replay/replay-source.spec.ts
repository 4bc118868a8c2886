import { describe, expect, it } from '@jest/globals';
import { scoringFirst, sourceOfRows } from './replay-source.js';

describe('the source of a replay', () => {
  it('is the selected spans', () => {
    expect(sourceOfRows({ rows: ['a', 'b'], count: 2, isMore: false })).toEqual({
      ...{ source: { span_ids: ['a', 'b'] }, what: '2 selected spans.', name: 'Selected calls' },
    });
  });

  it('is the filters of a list, without how it is shown and sorted', () => {
    const query = { tag: ['prod'], 'metadata.release': '7', 'metadata.a.b': 'c', until: '2026-11-27T00:00:00.000Z' };
    const shown = { view: 'outline', preview: undefined, include: 'scores', sort_by: 'cost', sort_order: 'asc' };
    const rows = { operation: 'listSpans' as const, query: { ...query, ...shown, status: undefined } };
    const { source, what } = sourceOfRows({ rows, count: 10_000, isMore: true });
    expect(source).toEqual({
      filters: { tag: ['prod'], metadata: { release: '7', 'a.b': 'c' }, until: '2026-11-27T00:00:00.000Z' },
    });
    expect(what).toMatch(/^Of the 10,000 spans or more that match/);
    expect(sourceOfRows({ rows, count: undefined, isMore: false }).what).toMatch(/^Of all spans that match/);
  });

  it('is scored by preference where that is offered', () => {
    const scorer = (name: string, needs_baseline: boolean) => ({ name, needs_baseline }) as never;
    expect(scoringFirst([scorer('Contains', false), scorer('Preference', true)])).toBe('Preference');
    expect(scoringFirst([scorer('Contains', false)])).toBe('Contains');
    expect(scoringFirst([])).toBe('');
  });
});
