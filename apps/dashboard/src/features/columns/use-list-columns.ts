import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { sortedColumns, type ListSort, type OfferedSorts } from '../sorting/list-sort.js';
import type { OfferedColumns } from './column-choice.js';
import type { ColumnsPanelProps } from './columns-panel.js';
import { useColumns } from './use-columns.js';

/** What the address says of the columns of a list. */
export interface ColumnsSearch extends ListSort {
  cols?: string;
}

export interface ListColumnsOptions<Row, Search extends ColumnsSearch> {
  /** Name of the list, for what is kept in this browser. */
  list: string;
  /** Every column; the very same array as long as they are the same. */
  columns: readonly GridColumn<Row>[];
  offered: OfferedColumns;
  /** By what the server sorts. */
  sorts: OfferedSorts;
  search: Search;
  /** @param isTyped replaces the entry of the history in place of adding one. */
  onChange(search: Search, isTyped?: boolean): void;
}

/** The columns of a list as they were chosen, sorted by and sized, and what the panel `Columns` is given. */
export function useListColumns<Row, Search extends ColumnsSearch>(options: ListColumnsOptions<Row, Search>) {
  const { list, columns, offered, sorts, search } = options;
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const toAddress = useCallback((cols: string | undefined) => {
    const { cols: _before, ...rest } = latest.current.search;
    latest.current.onChange((cols === undefined ? rest : { ...rest, cols }) as Search, true);
  }, []);
  const { chosen, widths, choose, resize, reset } = useColumns(list, offered, search.cols, toAddress);
  const { sort_by, sort_order } = search;
  const sorted = useMemo(() => {
    const sort = { ...(sort_by !== undefined && { sort_by }), ...(sort_order && { sort_order }) };
    return sortedColumns(columns, sorts, sort, (next) => {
      const { sort_by: _by, sort_order: _order, ...rest } = latest.current.search;
      latest.current.onChange({ ...rest, ...next } as Search);
    });
  }, [columns, sorts, sort_by, sort_order]);
  const shown = useMemo(
    () =>
      chosen.map((id) => {
        const column = sorted.find((one) => one.id === id)!;
        const width = widths[id];
        const onResize = (pixels: number | null, isDone: boolean): void => resize(id, pixels, isDone);
        return { ...column, ...(width !== undefined && { width, grows: false }), onResize };
      }),
    [sorted, chosen, widths, resize],
  );
  const find = (id: string): GridColumn<Row> => columns.find((column) => column.id === id)!;
  const panel: ColumnsPanelProps = {
    offered,
    chosen,
    nameOf: (id) => find(id).header,
    widthOf: (id) => widths[id] ?? find(id).width,
    onChange: choose,
    onResize: (id, width) => resize(id, width, true),
    onReset: reset,
  };
  return { shown, panel };
}
