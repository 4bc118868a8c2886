import { describe, expect, it } from '@jest/globals';
import { readRetryAfter } from './retry-after.js';

const NOW = Date.parse('2026-03-01T10:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['3', 3_000],
    [' 0 ', 0],
    ['1.5', 1_500],
    ['Sun, 01 Mar 2026 10:00:07 GMT', 7_000],
    ['Sunday, 01-Mar-26 10:00:07 GMT', 7_000],
    ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
    ['-1s', undefined],
    ['9'.repeat(400), undefined],
  ])('%j is %j ms', (header, ms) => {
    expect(readRetryAfter(header, NOW)).toBe(ms);
  });
});
