import { describe, expect, it } from '@jest/globals';
import { newRunId } from './new-run-id.js';

describe('newRunId', () => {
  it('sorts by time, and never repeats', () => {
    expect(newRunId(1_469_918_176_385)).toMatch(/^01ARYZ6S41[0-9A-HJKMNP-TV-Z]{16}$/);
    const ids = [0, 31, 32, 1e12, 1e12 + 1, 2e14].map((now) => newRunId(now));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(Array.from({ length: 1_000 }, () => newRunId(1))).size).toBe(1_000);
  });
});
