import { readStored, store } from '../../components/storage.js';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { sortedColumns, type ListSort, type OfferedSorts } from '../filters/list-search.js';
import {
  boundWidth,
  readColumns,
  readWidths,
  writeColumns,
  type OfferedColumns,
  type ColumnChoice,
  type ColumnWidths,
} from './column-choice.js';
import type { ColumnsPanelProps } from './columns-panel.js';

/** What the address says of the columns of a list. */
interface ColumnsSearch extends ListSort {
  cols?: string;
}

interface ListColumnsOptions<Row, Search extends ColumnsSearch> {
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

interface UsedColumns {
  chosen: ColumnChoice;
  /** Widths that differ from those that the columns come with. */
  widths: ColumnWidths;
  choose(columns: ColumnChoice): void;
  /** Makes a column wider or narrower. @param isDone whether the width stays, or is still being dragged. */
  resize(id: string, width: number | null, isDone: boolean): void;
  /** Back to the usual columns and widths. */
  reset(): void;
}

/**
 * The columns of a list: what the address says, else what was kept in this browser, else the usual ones.
 * @param list name of the list, for what is kept.
 * @param fromAddress value of `cols`.
 * @param toAddress writes `cols`, in the place of the entry that is there.
 */
function useColumns(
  list: string,
  offered: OfferedColumns,
  fromAddress: string | undefined,
  toAddress: (text: string | undefined) => void,
): UsedColumns {
  const storageKey = `spandrel.columns.${list}`;
  const source = useMemo(
    () => [fromAddress, readStored(storageKey)].find((text) => readColumns(text, offered) !== undefined),
    [fromAddress, offered, storageKey],
  );
  const chosen = useMemo(() => readColumns(source, offered) ?? offered.usual, [source, offered]);
  const settled = useMemo(() => readWidths(source), [source]);
  const [dragged, setDragged] = useState<ColumnWidths | null>(null);
  // A link that is passed on shows the columns that are on screen.
  const text = writeColumns(chosen, settled, offered);
  useEffect(() => {
    if (text !== fromAddress) toAddress(text);
  }, [text, fromAddress, toAddress]);

  const apply = useCallback(
    (columns: ColumnChoice, widths: ColumnWidths) => {
      const next = writeColumns(columns, widths, offered);
      store(storageKey, next ?? offered.usual.join(','));
      setDragged(null);
      toAddress(next);
    },
    [storageKey, offered, toAddress],
  );
  const resize = useCallback(
    (id: string, width: number | null, isDone: boolean) => {
      const { [id]: _before, ...others } = settled;
      const widths = width === null ? others : { ...others, [id]: boundWidth(width) };
      if (isDone) apply(chosen, widths);
      else setDragged(widths);
    },
    [apply, chosen, settled],
  );
  return {
    chosen,
    widths: dragged ?? settled,
    choose: useCallback((columns: ColumnChoice) => apply(columns, settled), [apply, settled]),
    resize,
    reset: useCallback(() => apply(offered.usual, {}), [apply, offered]),
  };
}
