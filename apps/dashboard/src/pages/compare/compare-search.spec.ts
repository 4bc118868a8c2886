import { describe, expect, it } from '@jest/globals';
import { readCompareSearch, runIdsOf } from './compare-search.js';

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
