import { describe, expect, it } from '@jest/globals';
import { isFiltered, readAnalyticsSearch, countedAddress, withoutFilters } from './analytics-search.js';

describe('the address of analytics', () => {
  it('is read leniently', () => {
    const search = { range: '7d', group_by: 'hour', split_by: 'model', model: '', other: '1' };
    expect(readAnalyticsSearch(search)).toEqual({ range: '7d', group_by: 'hour', split_by: 'model', model: '' });
    expect(readAnalyticsSearch({ split_by: 'metadata.env', of: 'traces', user_id: 'a' })).toEqual({
      split_by: 'metadata.env',
      of: 'traces',
      user_id: 'a',
    });
    expect(readAnalyticsSearch({ range: '1y', group_by: 'month', split_by: '', model: ['a', 'b'] })).toEqual({});
  });

  it('knows what leaves spans out', () => {
    expect(isFiltered({ group_by: 'day', split_by: 'status' })).toBe(false);
    expect(isFiltered({ range: '24h' }) && isFiltered({ until: '2026-01-01' }) && isFiltered({ model: '' })).toBe(true);
    expect(withoutFilters({ range: '24h', model: 'm', group_by: 'day', split_by: 'status' })).toEqual({
      group_by: 'day',
      split_by: 'status',
    });
  });

  it('leads to spans by any name', () => {
    expect(countedAddress({ model: 'a&b=ä' }, { since: undefined })).toBe('/spans?model=a%26b%3D%C3%A4');
    expect(countedAddress({}, {})).toBe('/spans');
  });
});
