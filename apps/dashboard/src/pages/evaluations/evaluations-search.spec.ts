import { describe, expect, it } from '@jest/globals';
import { readEvaluationsSearch } from './evaluations-search.js';

describe('the address of the list of runs', () => {
  it('has nothing but what it knows', () => {
    const search = { dataset_id: 'd', status: 'failed', execution: 'external', passed: false, name: 'nightly' };
    expect(readEvaluationsSearch({ ...search, other: 1 })).toEqual(search);
    expect(readEvaluationsSearch({ status: 'odd', execution: 'odd', passed: 'odd', name: '' })).toEqual({});
  });
});
