import { describe, expect, it } from '@jest/globals';
import { fittingMembers } from './trace-reading.js';

describe('what a span tells its trace', () => {
  it('is all of it where it is small', () => {
    const members = { a: [1, 2], b: 'x'.repeat(60_000) };
    expect(fittingMembers(members)).toBe(members);
  });

  it('is what fits where it is large', () => {
    const members = { a: 1, long: 'x'.repeat(70_000), b: { c: 1 } };
    expect(fittingMembers(members)).toEqual({ a: 1, b: { c: 1 } });
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]));
    const kept = Object.keys(fittingMembers(many)).length;
    expect(kept).toBeGreaterThan(1_000);
    expect(kept).toBeLessThan(10_000);
  });
});
