import { describe, expect, it } from '@jest/globals';
import { readRunSearch, resultsQuery } from './run-search.js';

describe('the address of a run', () => {
  it('has nothing but what it knows', () => {
    expect(
      readRunSearch({ only: 'failed', item: 'd', baseline: 'b', sort_by: 'score', sort_order: 'asc', other: 1 }),
    ).toEqual({
      ...{ only: 'failed', item: 'd', baseline: 'b', sort_by: 'score', sort_order: 'asc' },
    });
    expect(readRunSearch({ only: 'other', item: 1, baseline: 2 })).toEqual({});
  });

  it('becomes what the API is asked for', () => {
    expect(resultsQuery({})).toEqual({});
    expect(resultsQuery({ only: 'failed', sort_by: 'cost' })).toEqual({
      ...{ status: 'failed', sort_by: 'cost', sort_order: 'desc' },
    });
    const { score_max: below } = resultsQuery({ only: 'below_1' });
    expect(Number(below)).toBeLessThan(1);
    expect((1 + Number(below)) / 2 === 1 || (1 + Number(below)) / 2 === Number(below)).toBe(true);
  });
});
