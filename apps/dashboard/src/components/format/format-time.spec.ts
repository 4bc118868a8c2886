import { describe, expect, it } from '@jest/globals';
import { changesAfter, formatMoment, formatTime, formatTimeExactly } from './format-time.js';

const NOW = Date.parse('2026-11-22T14:00:00.250Z');
const ago = (ms: number): number => NOW - ms;

describe('formatMoment', () => {
  it.each([
    [0, 'just now'],
    [999, 'just now'],
    [1_000, '1 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
    [86_400_000, '2026-11-21 14:00:00'],
    [-5_000, '2026-11-22 14:00:05'],
  ])('says of what was %i ms ago %p', (ms, text) => {
    expect(formatMoment(ago(ms), NOW, 'utc')).toBe(text);
  });

  it('changes when it is said to', () => {
    for (const ms of [0, 400, 1_000, 59_500, 60_000, 90_001, 3_600_000, 5_000_000, 86_399_000]) {
      const after = changesAfter(ago(ms), NOW)!;
      expect(formatMoment(ago(ms), NOW + after, 'utc')).not.toBe(formatMoment(ago(ms), NOW, 'utc'));
    }
    expect(changesAfter(ago(86_400_000), NOW)).toBeNull();
    expect(changesAfter(ago(-300), NOW)).toBe(300);
  });
});

describe('absolute times', () => {
  it('go from large to small and name the zone', () => {
    expect(formatTime(NOW, 'utc')).toBe('2026-11-22 14:00:00');
    expect(formatTimeExactly(NOW, 'utc')).toBe('2026-11-22 14:00:00.250 UTC');
  });
});
