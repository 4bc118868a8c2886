import { describe, expect, it } from '@jest/globals';
import { readEvaluationsSearch } from './evaluations-search.js';

describe('the address of the list of runs', () => {
  it('has nothing but what it knows', () => {
    const search = {
      dataset_id: 'd',
      status: 'failed',
      execution: 'external',
      passed: 'false',
      name: 'nightly',
      group_id: 'g',
    };
    expect(readEvaluationsSearch({ ...search, other: 1 })).toEqual(search);
    expect(readEvaluationsSearch({ sort_by: 'score', sort_order: 'asc' })).toEqual({
      sort_by: 'score',
      sort_order: 'asc',
    });
    expect(readEvaluationsSearch({ sort_by: 'created_at', sort_order: 'desc' })).toEqual({});
    const found = { 'metadata.commit': '1a2b3c', 'metadata.': 'x', 'metadata.odd': ['a', 'b'] };
    expect(readEvaluationsSearch(found)).toEqual({ 'metadata.commit': '1a2b3c' });
    expect(readEvaluationsSearch({ status: 'odd', execution: 'odd', passed: 'odd', name: '' })).toEqual({});
  });
});
