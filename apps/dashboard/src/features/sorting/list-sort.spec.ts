import { describe, expect, it } from '@jest/globals';
import { readSort, sortedColumns, type ListSort, type OfferedSorts } from './list-sort.js';

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

  it('is told of one column', () => {
    const directions = (sort: ListSort) =>
      sortedColumns(COLUMNS, OFFERED, sort, () => undefined).map((column) => column.sort?.direction);
    expect(directions({})).toEqual(['descending', undefined, 'none']);
    expect(directions({ sort_order: 'asc' })).toEqual(['ascending', undefined, 'none']);
    expect(directions({ sort_by: 'cost' })).toEqual(['none', undefined, 'descending']);
  });
});
