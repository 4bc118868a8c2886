import { describe, expect, it } from '@jest/globals';
import { planQuestion } from './plan-question.js';

const NOW = Date.parse('2026-11-22T14:00:30.000Z');
const at = (text: string): number => Date.parse(text);
const nothing = { first: null, last: null };

describe('what analytics asks for', () => {
  it('fits the width of buckets to the range', () => {
    const widths = (['15m', '1h', '24h', '7d', '30d'] as const).map(
      (range) => planQuestion({ range }, NOW, nothing).width,
    );
    expect(widths).toEqual(['minute', 'minute', 'hour', 'hour', 'day']);
    expect(planQuestion({ since: '2020-01-01T00:00:00Z' }, NOW, nothing).width).toBe('week');
    expect(planQuestion({ range: '30d', group_by: 'hour' }, NOW, nothing).width).toBe('hour');
  });

  it('ends now where the range goes with the clock', () => {
    expect(planQuestion({ range: '24h', model: 'm' }, NOW, nothing).range).toEqual({
      since: '2026-11-21T14:00:30.000Z',
      until: '2026-11-22T14:00:30.000Z',
      model: 'm',
    });
  });

  it('leaves all time open, but for minutes', () => {
    const year = { first: at('2025-12-01T00:00:00Z'), last: at('2026-11-01T00:00:00Z') };
    expect(planQuestion({}, NOW, year)).toEqual({ width: 'day', range: {} });
    const hour = { first: at('2026-11-22T10:00:10.500Z'), last: at('2026-11-22T10:59:00.000Z') };
    expect(planQuestion({}, NOW, hour)).toEqual({
      width: 'minute',
      range: { since: '2026-11-22T10:00:10.500Z', until: '2026-11-22T10:59:00.001Z' },
    });
    expect(planQuestion({}, NOW, nothing).width).toBe('minute');
  });
});
