import { withQuery } from '@spandrel/sdk/api';
import { describe, expect, it } from '@jest/globals';
import {
  listFilters,
  listOrder,
  bareSearch,
  listChips,
  offeredSorts,
  readListSearch,
  withMember,
  withRange,
  STATUS_OPTIONS,
  readSort,
  sortedColumns,
  type ListParameters,
  type ListSort,
  type OfferedSorts,
} from './list-search.js';

const NOW = Date.parse('2026-11-22T14:00:00.000Z');
const format = (at: number): string => new Date(at).toISOString();
const PARAMETERS: ListParameters = {
  bar: [
    { id: 'text_contains', label: 'Text', field: 'Search in texts', type: 'entered' },
    {
      id: 'mode',
      label: 'Search mode',
      field: 'Search mode',
      type: 'choice',
      isMode: true,
      options: [{ value: 'text', label: 'All words' }],
    },
    { id: 'status', label: 'Status', field: 'Status', type: 'choice', options: STATUS_OPTIONS },
  ],
  fields: [
    { id: 'tag', label: 'Tag', isRepeated: true },
    { id: 'duration_min', label: 'Minimum duration', unit: 'duration' },
  ],
  sorts: { keys: { cost: 'cost' }, usual: { sort_by: 'started_at', sort_order: 'desc' } },
};
const FULL = {
  ...{ text_contains: 'a b', mode: 'text', status: 'failed', range: '24h', tag: ['a', 'b'], duration_min: '1500' },
  ...{ sort_by: 'cost', sort_order: 'asc', cols: 'name,status' },
} as const;
const read = (search: Record<string, unknown>) => readListSearch(search, PARAMETERS);

describe('the search parameters of a list', () => {
  it('are read from an address, leniently', () => {
    expect(read({ ...FULL, foo: 'bar' })).toEqual(FULL);
    const odd = { text_contains: '', status: 'broken', mode: ['text'], range: '2y', sort_by: 'colour', cols: '' };
    expect(read({ ...odd, tag: 'one' })).toEqual({ tag: ['one'] });
  });

  it('sort by a score where a filter or the order names one', () => {
    const scored = { ...PARAMETERS, fields: [{ id: 'score', label: 'Score', isScore: true, isRepeated: true }] };
    const scoreKey = (search: Record<string, unknown>): unknown => offeredSorts(scored, search).keys['scores'];
    expect([{}, { score: ['"a:b":yes'] }, { score: 'helpful<=0.5' }, { sort_by: 'score:x y' }].map(scoreKey)).toEqual([
      ...[undefined, 'score:a:b', 'score:helpful', 'score:x y'],
    ]);
    expect(offeredSorts(PARAMETERS, { score: 'helpful<1' })).toBe(PARAMETERS.sorts);
    expect(readListSearch({ sort_by: 'score:x y' }, scored)).toEqual({ sort_by: 'score:x y', sort_order: 'desc' });
    expect(read({ sort_by: 'score:x' })).toEqual({});
  });

  it('become a query of the API', () => {
    expect(withQuery('', { ...listFilters(read(FULL), NOW), ...listOrder(read(FULL)) })).toBe(
      '?text_contains=a+b&mode=text&status=failed&tag=a&tag=b&duration_min=1500' +
        '&since=2026-11-21T14%3A00%3A00.000Z&sort_by=cost&sort_order=asc',
    );
    expect(withQuery('', { ...listFilters({}, NOW), ...listOrder({}) })).toBe('');
  });

  it('have a button for every filter, which takes that one away', () => {
    const chips = listChips(read(FULL), PARAMETERS, format);
    expect(chips.map(({ name, value }) => `${name} ${value}`)).toEqual([
      ...['Text a b', 'Status Failed', 'Time range Last 24 hours', 'Tag a', 'Tag b', 'Minimum duration 1.50 s'],
    ]);
    expect(chips.reduce((search, chip) => chip.without(search), read(FULL))).toEqual({
      ...{ mode: 'text', sort_by: 'cost', sort_order: 'asc', cols: FULL.cols },
    });
  });

  it('are bare without filters and order', () => {
    expect(bareSearch(read(FULL))).toEqual({ cols: FULL.cols });
    expect(bareSearch({ status: 'failed' })).toEqual({});
  });

  it('have one value of each field, and one range', () => {
    expect(withMember({ status: 'failed', range: '1h' }, 'status', 'running')).toEqual({
      range: '1h',
      status: 'running',
    });
    expect(withMember({ status: 'failed' }, 'status', '')).toEqual({});
    expect(withRange({ range: '1h', status: 'failed' }, { since: '2026-11-22' })).toEqual({
      ...{ status: 'failed', since: '2026-11-22' },
    });
  });
});

const OFFERED: OfferedSorts = {
  keys: { started_at: 'started_at', total_cost: 'cost' },
  usual: { sort_by: 'started_at', sort_order: 'desc' },
};
const COLUMNS = ['started_at', 'name', 'total_cost'].map((id) => ({ id, header: id, width: 1, cell: () => null }));

describe('the order of a list', () => {
  it('is read from an address, leniently', () => {
    expect(readSort({ sort_by: 'cost', sort_order: 'asc' }, OFFERED)).toEqual({ sort_by: 'cost', sort_order: 'asc' });
    expect(readSort({ sort_by: 'cost' }, OFFERED)).toEqual({ sort_by: 'cost', sort_order: 'desc' });
    expect(readSort({ sort_order: 'asc' }, OFFERED)).toEqual({ sort_order: 'asc' });
    for (const usual of [{}, { sort_by: 'started_at', sort_order: 'desc' }, { sort_by: 'name', sort_order: 'up' }]) {
      expect(readSort(usual, OFFERED)).toEqual({});
    }
  });

  it('is changed by the headers of columns', () => {
    const chosen: ListSort[] = [];
    const press = (sort: ListSort, id: string): void => {
      const columns = sortedColumns(COLUMNS, OFFERED, sort, (next) => chosen.push(next));
      columns.find((column) => column.id === id)!.sort!.onSort();
    };
    press({}, 'total_cost');
    press(chosen[0]!, 'total_cost');
    press(chosen[1]!, 'total_cost');
    press({}, 'started_at');
    press(chosen[0]!, 'started_at');
    expect(chosen).toEqual([
      ...[
        { sort_by: 'cost', sort_order: 'desc' },
        { sort_by: 'cost', sort_order: 'asc' },
      ],
      ...[{ sort_by: 'cost', sort_order: 'desc' }, { sort_order: 'asc' }, {}],
    ]);
  });

  it('is said of one column', () => {
    const directions = (sort: ListSort) =>
      sortedColumns(COLUMNS, OFFERED, sort, () => undefined).map((column) => column.sort?.direction);
    expect(directions({})).toEqual(['descending', undefined, 'none']);
    expect(directions({ sort_order: 'asc' })).toEqual(['ascending', undefined, 'none']);
    expect(directions({ sort_by: 'cost' })).toEqual(['none', undefined, 'descending']);
  });
});
