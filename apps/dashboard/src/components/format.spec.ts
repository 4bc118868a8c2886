import { describe, expect, it } from '@jest/globals';
import {
  changesAfter,
  costDigits,
  formatColumnCost,
  formatCost,
  formatCostExactly,
  formatDuration,
  formatDurationExactly,
  formatMoment,
  formatTime,
  formatTimeExactly,
} from './format.js';
import { formatBytes } from './format-bytes.js';

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

describe('formats', () => {
  it.each([
    [undefined, '–'],
    [0, '$0'],
    [0.0123, '$0.0123'],
    [0.000_000_45, '$0.00000045'],
    [0.000_000_000_001, '$0.000000000001'],
    [0.25, '$0.25'],
    [1, '$1.00'],
    [1234.567, '$1,234.57'],
    [0.999_96, '$1.00'],
    [0.5, '$0.50'],
  ])('writes the cost %p as %p', (cost, text) => {
    expect(formatCost(cost)).toBe(text);
  });

  it.each([
    [
      [12.3, 0.0123, 0, null],
      ['$12.3000', '$0.0123', '$0', '–'],
    ],
    [
      [0.03, 4],
      ['$0.03', '$4.00'],
    ],
    [
      [2, 0.000_074, 0.000_000_4],
      ['$2.000000', '$0.000074', '<$0.000001'],
    ],
  ])('writes the costs %p of a column with the same decimals', (costs, texts) => {
    expect(costs.map((cost) => formatColumnCost(cost, costDigits(costs)))).toEqual(texts);
  });

  it('never rounds a cost to nothing', () => {
    for (let exponent = 0; exponent >= -12; exponent--) {
      expect(formatCost(3 * 10 ** exponent)).toMatch(/[1-9]/);
    }
    expect(formatCostExactly(0.012_345_678)).toBe('$0.012345678');
  });

  it.each([
    [null, '–'],
    [0, '0 ms'],
    [0.44, '0.4 ms'],
    [12.4, '12 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [1234, '1.23 s'],
    [9_999, '10.0 s'],
    [12_340, '12.3 s'],
    [59_970, '1 min'],
    [125_000, '2 min 5 s'],
    [12_000_000, '3 h 20 min'],
    [-80, '-80 ms'],
    [-0.4, '-0.4 ms'],
    [-0.04, '0 ms'],
    [-1490, '-1.49 s'],
  ])('writes %p milliseconds as %p', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('keeps every digit where it is asked to', () => {
    expect(formatDurationExactly(1234)).toBe('1,234 ms');
    expect(formatDurationExactly(0.125)).toBe('0.125 ms');
  });

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_250, '1.3 KB'],
    [10_400_000, '10 MB'],
  ])('writes %p bytes as %p', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
