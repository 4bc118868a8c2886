import type { GridColumn } from '../../components/grid/grid-column.js';

/** The order of a list in the address, by the API's own names; left out for the usual one. */
export interface ListSort {
  sort_by?: string;
  sort_order?: 'asc' | 'desc';
}

/** By what a list can be sorted. */
export interface OfferedSorts {
  /** Keys of the API by ids of columns. */
  keys: Readonly<Record<string, string>>;
  /** What it is sorted by when nobody chose. */
  usual: Required<ListSort>;
}

/** Reads the order of an address, leniently. */
export function readSort(search: Record<string, unknown>, { keys, usual }: OfferedSorts): ListSort {
  const by = Object.values(keys).find((key) => key === search['sort_by']) ?? usual.sort_by;
  const order = search['sort_order'] === 'asc' || search['sort_order'] === 'desc' ? search['sort_order'] : 'desc';
  return writeSort({ sort_by: by, sort_order: order }, usual);
}

/** The columns with what sorts by them, for those by which the server can sort. */
export function sortedColumns<Row>(
  columns: readonly GridColumn<Row>[],
  { keys, usual }: OfferedSorts,
  sort: ListSort,
  onSort: (sort: ListSort) => void,
): GridColumn<Row>[] {
  const now = { ...usual, ...(sort.sort_by !== undefined && { sort_order: 'desc' as const }), ...sort };
  return columns.map((column) => {
    const key = keys[column.id];
    if (key === undefined) return column;
    const isSorted = now.sort_by === key;
    const next = isSorted && now.sort_order === 'desc' ? 'asc' : 'desc';
    return {
      ...column,
      sort: {
        direction: isSorted ? (now.sort_order === 'asc' ? 'ascending' : 'descending') : 'none',
        onSort: () => onSort(writeSort({ sort_by: key, sort_order: next }, usual)),
      },
    };
  });
}

/** The largest comes first unless the address says otherwise. */
function writeSort(sort: Required<ListSort>, usual: Required<ListSort>): ListSort {
  if (sort.sort_by === usual.sort_by && sort.sort_order === usual.sort_order) return {};
  return sort.sort_by === usual.sort_by ? { sort_order: sort.sort_order } : { ...sort };
}
