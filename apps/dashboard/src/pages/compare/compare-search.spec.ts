import { formatScore } from '@spandrel/contract/browser';
import { describe, expect, it } from '@jest/globals';
import { formatCost } from '../../components/format.js';
import { readCompareSearch, runIdsOf, describeChange } from './compare-search.js';

describe('the address of a comparison', () => {
  it('has nothing but what it knows', () => {
    expect(readCompareSearch({ runs: 'a,b', baseline: 'b', only: 'regressed', item: 1, x: 2 })).toEqual({
      ...{ runs: 'a,b', baseline: 'b', only: 'regressed' },
    });
    expect(readCompareSearch({ only: 'all' })).toEqual({});
  });

  it('names each run once', () => {
    expect(runIdsOf({ runs: 'a, b,,a' })).toEqual(['a', 'b']);
    expect(runIdsOf({})).toEqual([]);
  });
});

describe('a change in words', () => {
  it('has both values and their difference', () => {
    expect(describeChange(1, 0.5, formatScore)).toBe('1 → 0.5 (-0.5)');
    expect(describeChange(0.001, 0.0015, formatCost)).toBe('$0.001 → $0.0015 (+$0.0005)');
    expect(describeChange(0.3, 0.1 + 0.2, formatScore)).toBe('0.3 → 0.3 (no change)');
  });

  it('has no difference where a value is missing', () => {
    expect(describeChange(null, 1, formatScore)).toBe('– → 1');
    expect(describeChange(0, undefined, formatScore)).toBe('0 → –');
  });
});
