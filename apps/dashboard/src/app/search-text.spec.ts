import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSearch, writeSearch } from './search-text.js';

describe('search parameters', () => {
  it('are texts, and lists where a name is repeated', () => {
    expect(readSearch('?status=failed&tag=a&tag=b+c&span=123')).toEqual({
      status: 'failed',
      tag: ['a', 'b c'],
      span: '123',
    });
  });

  it('are written without what has no value', () => {
    expect(writeSearch({ status: undefined, tag: [], name_contains: 'ü &', since: null })).toBe(
      '?name_contains=%C3%BC+%26',
    );
    expect(writeSearch({})).toBe('');
    expect(writeSearch({ cols: 'name:240,status' })).toBe('?cols=name:240,status');
  });

  it('come back as they were written', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,9}$/), value), (search) => {
        expect(readSearch(writeSearch(search))).toEqual({ ...search });
      }),
    );
  });
});
