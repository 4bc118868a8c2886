import { describe, expect, it } from '@jest/globals';
import { queryText } from '../../api/query-text.js';
import { filterChips, readTracesSearch, traceFilters, withoutFilters, withRange } from './traces-search.js';

const NOW = Date.parse('2026-11-22T14:00:00.000Z');
const format = (at: number): string => new Date(at).toISOString();
const FULL = {
  name_contains: 'chat',
  status: 'failed',
  range: '24h',
  tag: ['a', 'b'],
  session_id: ' s',
  user_id: '',
  cols: 'name,status',
} as const;

describe('the search parameters of traces', () => {
  it('are read from an address, leniently', () => {
    expect(readTracesSearch({ ...FULL, tag: ['a', 'b', 'a'], foo: 'bar' })).toEqual(FULL);
    expect(readTracesSearch({ tag: 'one', status: 'broken', range: '2y', name_contains: '', user_id: ['x'] })).toEqual({
      tag: ['one'],
    });
  });

  it('become a query of the API', () => {
    const search = readTracesSearch(FULL);
    expect(queryText(traceFilters(search, NOW))).toBe(
      '?name_contains=chat&status=failed&tag=a&tag=b&session_id=+s&user_id=&since=2026-11-21T14%3A00%3A00.000Z',
    );
    expect(queryText(traceFilters({}, NOW))).toBe('');
  });

  it('have a chip for every filter, which takes that one away', () => {
    const chips = filterChips(readTracesSearch(FULL), format);
    expect(chips.map(({ name, value }) => `${name} ${value}`)).toEqual([
      ...['Name chat', 'Status Failed', 'Time range Last 24 hours', 'Tag a', 'Tag b', 'Session  s', 'User '],
    ]);
    const rest = chips.reduce((search, chip) => chip.without(search), readTracesSearch(FULL));
    expect(rest).toEqual({ cols: FULL.cols });
    expect(rest).toEqual(withoutFilters(readTracesSearch(FULL)));
  });

  it('have one range at a time', () => {
    expect(withRange({ range: '1h', status: 'failed' }, { since: '2026-11-22' })).toEqual({
      status: 'failed',
      since: '2026-11-22',
    });
    expect(withRange({ since: 'a', until: 'b' }, {})).toEqual({});
  });
});
