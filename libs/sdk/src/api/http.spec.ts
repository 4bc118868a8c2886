import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './answers.js';
import { backoffMs } from './http.js';

describe('backoffMs', () => {
  it('doubles up to the longest pause', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 8, 5_000].map((failures) => backoffMs(failures, 500, 30_000, () => 1));
    expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is anything down to none', () => {
    expect(backoffMs(4, 500, 30_000, () => 0)).toBe(0);
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  it.each([
    ['120', 120_000],
    ['0.5', 500],
    ['Mon, 23 Nov 2026 12:00:30 GMT', 30_000],
    ['Mon, 23 Nov 2026 11:00:00 GMT', 0],
    ['-5', 0],
    ['soon', 0],
    ['', 0],
    [null, 0],
  ])('reads %j as %d ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});
