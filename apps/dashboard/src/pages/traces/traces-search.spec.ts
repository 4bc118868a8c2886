import { describe, expect, it } from '@jest/globals';
import { queryText } from '../../api/query-text.js';
import { filterChips, readTracesSearch, traceFilters, traceOrder, withoutFilters, withRange } from './traces-search.js';

const NOW = Date.parse('2026-11-22T14:00:00.000Z');
const format = (at: number): string => new Date(at).toISOString();
const FULL = {
  name_contains: 'chat',
  status: 'failed',
  range: '24h',
  tag: ['a', 'b'],
  model: 'gpt-5',
  session_id: ' s',
  user_id: '',
  duration_min: '1500',
  sort_by: 'cost',
  sort_order: 'asc',
  cols: 'name,status',
} as const;

describe('the search parameters of traces', () => {
  it('are read from an address, leniently', () => {
    expect(readTracesSearch({ ...FULL, tag: ['a', 'b', 'a'], foo: 'bar' })).toEqual(FULL);
    expect(
      readTracesSearch({ tag: 'one', status: 'broken', range: '2y', name_contains: '', user_id: ['x', 'y'] }),
    ).toEqual({
      tag: ['one'],
    });
  });

  it('become a query of the API', () => {
    const search = readTracesSearch(FULL);
    expect(queryText(traceFilters(search, NOW))).toBe(
      '?name_contains=chat&status=failed&tag=a&tag=b&model=gpt-5&user_id=&session_id=+s&duration_min=1500' +
        '&since=2026-11-21T14%3A00%3A00.000Z',
    );
    expect(queryText(traceOrder(search))).toBe('?sort_by=cost&sort_order=asc');
    expect(queryText({ ...traceFilters({}, NOW), ...traceOrder({}) })).toBe('');
  });

  it('have a chip for every filter, which takes that one away', () => {
    const chips = filterChips(readTracesSearch(FULL), format);
    expect(chips.map(({ name, value }) => `${name} ${value}`)).toEqual([
      ...['Name chat', 'Status Failed', 'Time range Last 24 hours', 'Tag a', 'Tag b'],
      ...['Model gpt-5', 'User ', 'Session  s', 'Minimum duration 1.50 s'],
    ]);
    const rest = chips.reduce((search, chip) => chip.without(search), readTracesSearch(FULL));
    expect(rest).toEqual({ sort_by: 'cost', sort_order: 'asc', cols: FULL.cols });
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
