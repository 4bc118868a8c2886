import { describe, expect, it } from '@jest/globals';
import { readDatasetSearch } from './dataset-search.js';

describe('the address of a dataset', () => {
  it('has a tab and what datapoints are filtered by', () => {
    const search = {
      ...{
        tab: 'rules',
        text_contains: 'a',
        source: 'manual',
        'metadata.split': 'test',
        sort_order: 'asc',
        cols: 'input',
      },
    };
    expect(readDatasetSearch(search)).toEqual(search);
  });

  it('leaves out what it does not know, and what is usual', () => {
    const search = { tab: 'datapoints', source: 'elsewhere', sort_order: 'desc', range: '24h', model: 'm' };
    expect(readDatasetSearch(search)).toEqual({});
  });
});
