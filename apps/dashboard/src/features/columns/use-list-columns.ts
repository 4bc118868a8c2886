import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { zoneName } from '../../components/format.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { useLatest } from '../../components/hooks.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { readStored, store } from '../../components/storage.js';
import { sortedColumns, type ListSort, type OfferedSorts } from '../filters/list-search.js';
import {
  boundWidth,
  readColumns,
  readWidths,
  writeColumns,
  type ColumnChoice,
  type ColumnsPanelProps,
  type ColumnWidths,
  type OfferedColumns,
} from './column-choice.js';

interface ListColumnsOptions<Row, Search extends ListSort & { cols?: string }> {
  /** Name of the list, for what is kept in this browser. */
  list: string;
  /** Every column; the very same function as long as they are the same. @param zone zone of the times, for a header. */
  columnsIn(zone: string): readonly GridColumn<Row>[];
  offered: OfferedColumns;
  /** By what the server sorts. */
  sorts: OfferedSorts;
  search: Search;
  /** @param isTyped replaces the entry of the history in place of adding one. */
  onChange(search: Search, isTyped?: boolean): void;
}

/**
 * The columns of a list, sorted by and sized, and what the panel `Columns` is given. Which they are the address says, else
 * what was kept in this browser, else they are the usual ones.
 */
export function useListColumns<Row, Search extends ListSort & { cols?: string }>(
  options: ListColumnsOptions<Row, Search>,
) {
  const { columnsIn, offered, sorts, search } = options;
  const { cols, sort_by, sort_order } = search;
  const { times } = usePreferences();
  const columns = useMemo(() => columnsIn(zoneName(Date.now(), times)), [columnsIn, times]);
  const storageKey = `spandrel.columns.${options.list}`;
  const source = useMemo(
    () => [cols, readStored(storageKey)].find((text) => readColumns(text, offered) !== undefined),
    [cols, offered, storageKey],
  );
  const chosen = useMemo(() => readColumns(source, offered) ?? offered.usual, [source, offered]);
  const settled = useMemo(() => readWidths(source), [source]);
  const [dragged, setDragged] = useState<ColumnWidths | null>(null);
  const widths = dragged ?? settled;

  const toAddress = (text: string | undefined): void => {
    const { cols: _before, ...rest } = options.search;
    options.onChange((text === undefined ? rest : { ...rest, cols: text }) as Search, true);
  };
  // A link that is passed on shows the columns that are on screen.
  const text = writeColumns(chosen, settled, offered);
  const showInAddress = useEffectEvent(toAddress);
  useEffect(() => {
    if (text !== cols) showInAddress(text);
  }, [text, cols]);
  const apply = (next: ColumnChoice, nextWidths: ColumnWidths): void => {
    const written = writeColumns(next, nextWidths, offered);
    store(storageKey, written ?? offered.usual.join(','));
    setDragged(null);
    toAddress(written);
  };
  const resize = useLatest((id: string, width: number | null, isDone: boolean) => {
    const { [id]: _before, ...others } = settled;
    const next = width === null ? others : { ...others, [id]: boundWidth(width) };
    if (isDone) apply(chosen, next);
    else setDragged(next);
  });
  const sort = useLatest((next: ListSort) => {
    const { sort_by: _by, sort_order: _order, ...rest } = options.search;
    options.onChange({ ...rest, ...next } as Search);
  });
  const sorted = useMemo(() => {
    const order = { ...(sort_by !== undefined && { sort_by }), ...(sort_order && { sort_order }) };
    return sortedColumns(columns, sorts, order, sort);
  }, [columns, sorts, sort_by, sort_order, sort]);
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
    onChange: (next) => apply(next, settled),
    onResize: (id, width) => resize(id, width, true),
    onReset: () => apply(offered.usual, {}),
  };
  return { shown, panel };
}
