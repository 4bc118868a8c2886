import type { ViewPage } from '@spandrel/contract';
import { use, useRef, useMemo, useState, type ReactNode } from 'react';
import { NoMatch, QueryFault, PageHeading } from '../../components/page-parts.js';
import { Button } from '../../components/button.js';
import { FilterBar } from '../filters/filter-bar.js';
import { bareSearch, listChips, type ListParameters, type ListSearch } from '../filters/list-search.js';
import { Grid } from '../../components/grid/grid.js';
import type {
  GridColumn,
  GridHandle,
  GridPlace,
  GridSelection,
  PageSelection,
} from '../../components/grid/grid-props.js';
import { useDelayed } from '../../components/hooks.js';
import type { ColumnsPanelProps } from '../columns/column-choice.js';
import { ColumnsPanel } from '../columns/columns-panel.js';
import { TracePeek, type TracePeekProps } from './trace-peek.js';
import type { ChosenRows } from './bulk-job.js';
import { gridRows, type FilteredList, type PagedList } from './use-paged-list.js';
import { useListPlace } from './list-memory.js';
import { rowId, type ListedRow } from '../../api/page-rows.js';
import { describePending } from './list-rules.js';
import type { LiveList } from './use-live-list.js';
import styles from './list-page.module.css';
import { lazyPart } from '../../components/lazy-part.js';

interface ListPageProps {
  title: string;
  list: Pick<PagedList<unknown>, 'isWaiting' | 'error' | 'length' | 'refetch'>;
  search: ListSearch;
  parameters: ListParameters;
  /** @param isTyped replaces the entry of the history in place of adding one. */
  onChange(search: ListSearch, isTyped?: boolean): void;
  isLive: boolean;
  onLive(isLive: boolean): void;
  empty: ReactNode;
  intro?: (isEmpty: boolean) => ReactNode;
  children: ReactNode;
}

/** Asked for once the list is there. */
const ViewsMenu = lazyPart(async () => (await import('../saved-views/views-menu.js')).ViewsMenu);

const isClosed = ({ until }: ListSearch): boolean => until !== undefined && Date.parse(until) <= Date.now();

/** Whether a list follows what happens, and what turns that on and off. A range that has an end is not followed. */
export function useAutoRefresh(search: ListSearch) {
  const [isWanted, onLive] = useState(true);
  return { isLive: isWanted && !isClosed(search), onLive };
}

/** A page that is a list with filters: what it shows while there is nothing to list, or when it could not be read. */
export function ListPage(props: ListPageProps) {
  const { title, list, search, parameters, onChange, isLive, onLive, empty, intro, children } = props;
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  if (isEmpty && listChips(search, parameters, String).length === 0) {
    return (
      <>
        <PageHeading title={title} />
        {intro?.(true)}
        {empty}
      </>
    );
  }
  return (
    <>
      <PageHeading title={title}>
        <Button
          icon="live"
          aria-pressed={isLive}
          disabled={isClosed(search)}
          {...(isClosed(search) && { title: 'Nothing new begins in a range that has ended.' })}
          onClick={() => onLive(!isLive)}
        >
          Auto-refresh
        </Button>
        {!list.isWaiting && <ViewsMenu page={title.toLowerCase() as ViewPage} />}
      </PageHeading>
      {intro?.(false)}
      <FilterBar search={search} parameters={parameters} onChange={onChange} />
      <QueryFault title={`${title} could not be loaded`} query={list} />
      {isEmpty ? <NoMatch what={title.toLowerCase()} onClear={() => onChange(bareSearch(search))} /> : children}
    </>
  );
}

interface ListedGridProps<Row> {
  label: string;
  one: string;
  count: string;
  list: PagedList<Row>;
  live: LiveList;
  /** Which list the rows are of. */
  shownKey: string;
  columns: { shown: readonly GridColumn<Row>[]; panel: ColumnsPanelProps };
  onOpen(row: Row, isReplacing?: boolean): void;
  /** Whether somebody deleted the row since it was read. */
  isDeleted(row: Row): boolean;
  selection?: GridSelection<Row>;
  page?: PageSelection;
  /** Key of the row of which the page shows all. */
  openKey?: string | undefined;
  toolbar?: ReactNode;
  /** Shows a row beside the list, by its key; `null` for none. Left out where rows have nothing to peek at. */
  onPeek?(key: string | null): void;
  /** What is shown beside the list. */
  peek?: Omit<TracePeekProps, 'onClose'> | undefined;
}

const AWAITED_ROWS = 30;

/** A list with what is above it: how many there are, what waits to be shown, what is done with selected rows, columns. */
export function ListedGrid<Row>(props: ListedGridProps<Row>) {
  const { label, one, count, list, live, shownKey, columns, onOpen, isDeleted, selection, openKey, toolbar } = props;
  const { onPeek, peek, page } = props;
  const Peek = use(TracePeek);
  const grid = useRef<GridHandle>(null);
  const isAwaited = useDelayed(list.isWaiting && list.length === 0);
  const showPending = (): void => {
    live.show();
    // The rows are there with the next frame.
    requestAnimationFrame(() => grid.current?.focusRow(0));
  };
  const { place, onPlace } = useListPlace();
  const focusedKey = useRef(place?.key ?? null);
  const follow = (now: GridPlace): void => {
    onPlace(now);
    const isMoved = now.key !== focusedKey.current;
    focusedKey.current = now.key;
    if (isMoved && peek && now.key !== null && now.key !== openKey) onPeek?.(now.key);
  };
  const closePeek = (): void => {
    document.querySelector<HTMLElement>('[role=grid] [role=row][aria-current=true]')?.focus();
    onPeek?.(null);
  };
  return (
    <>
      <div className={styles.above}>
        <p role="status" aria-label="Result count" className={styles.count}>
          {count}
        </p>
        <span className={styles.spacer} />
        {toolbar}
        <ColumnsPanel {...columns.panel} />
        {/* It comes last, so that Shift+Tab leads to it from the rows. */}
        {live.pendingRows !== null && (
          <Button className={styles.pending} variant="primary" icon="arrowUp" onClick={showPending}>
            {describePending(live.pendingRows, one)}
          </Button>
        )}
      </div>
      <div className={styles.beside} data-open={peek && true}>
        <Grid<Row>
          ref={grid}
          label={label}
          listKey={shownKey}
          columns={columns.shown}
          {...gridRows(list)}
          length={isAwaited ? AWAITED_ROWS : list.length}
          onOpen={onOpen}
          {...(onPeek && { onPeek: (key: string) => (key === openKey ? closePeek() : onPeek(key)) })}
          openKey={openKey}
          {...(selection && { selection })}
          page={page}
          stateOf={(row) => (isDeleted(row) ? 'deleted' : undefined)}
          onScrolledOrSelected={live.onScrolledOrSelected}
          place={place}
          onPlace={follow}
        />
        {peek && <Peek {...peek} onClose={closePeek} />}
      </div>
    </>
  );
}

export type SelectedRows<Row extends ListedRow> = ReturnType<typeof useSelectedRows<Row>>;

/**
 * Which rows of a list are selected. They stay so when they scroll out of view.
 * @param nameOf stays the same function.
 * @param from the list, where all that match can be selected.
 * @param counted how many there are; nobody knows where it is left out.
 */
export function useSelectedRows<Row extends ListedRow>(
  nameOf: (row: Row) => string,
  from?: FilteredList<Row>,
  counted?: { count: number; exact: boolean } | null,
) {
  const [byId, setById] = useState<ReadonlyMap<string, Row>>(new Map());
  const [chosenAll, setAll] = useState<(ChosenRows & { of: string }) | null>(null);
  // Other filters match other rows.
  const all = chosenAll !== null && chosenAll.of === from?.shownKey ? chosenAll : null;
  const selection = useMemo<GridSelection<Row>>(
    () => ({
      isSelected: (row) => all !== null || byId.has(rowId(row)),
      nameOf,
      toggle: (row) => {
        setAll(null);
        setById((before) => {
          const after = new Map(before);
          if (!after.delete(rowId(row))) after.set(rowId(row), row);
          return after;
        });
      },
    }),
    [byId, nameOf, all],
  );
  const rows = useMemo(() => [...byId.values()], [byId]);
  const clear = (): void => {
    setAll(null);
    setById(new Map());
  };
  const { readRows = [], isComplete = true, length = 0 } = from?.list ?? {};
  const isSelected = all !== null || (readRows.length > 0 && readRows.every((row) => byId.has(rowId(row))));
  const toggle = (): void => (isSelected ? clear() : setById(new Map(readRows.map((row) => [rowId(row), row]))));
  const count = { count: counted?.count, isMore: counted?.exact === false };
  const selectAll = (): void => {
    if (from) setAll({ ...count, rows: from.matchingAt(Date.now()), of: from.shownKey });
  };
  const isAllRead = isComplete && readRows.length === length;
  return {
    /** Single rows. */
    rows,
    selection,
    /** The rows that were read. */
    page: { isSelected, toggle: readRows.length > 0 || isSelected ? toggle : undefined },
    /** The single rows, or all that match. */
    chosen: all ?? { rows: rows.map(rowId), count: rows.length, isMore: false },
    /** What selects all that match, where more do than were read. */
    offer: rows.length > 0 && all === null && !isAllRead ? { ...count, select: selectAll } : null,
    onClear: clear,
  };
}
