import { useId, useRef, memo, type PointerEvent, type MouseEvent, useMemo } from 'react';
import { useLatest, useRowHeight } from '../hooks.js';
import { Icon } from '../icon.js';
import {
  minWidthOf,
  tracksOf,
  type GridProps,
  type GridColumn,
  type GridSelection,
  type PageSelection,
} from './grid-props.js';
import { useGridFocus, useGridRows, useScrolledOrSelected } from './use-grid.js';
import styles from './grid.module.css';
import { costDigits, formatColumnCost, formatCostExactly } from '../format.js';

const SELECT_WIDTH = 24;

/**
 * A list with columns after the ARIA grid pattern, of any length: rows exist while they are near the screen. The focus
 * is on rows (arrows, Home, End, PageUp, PageDown, `j`, `k`), Enter opens, Space peeks, `x` selects; Tab goes through what is in the row.
 */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, length, isComplete, rowAt, keyAt, selection, onOpen, onPeek, openKey, onScrolledOrSelected, stateOf } =
    props;
  const columns = useCostColumns(props);
  const scroller = useRef<HTMLDivElement>(null);
  const helpId = useId();
  const rowHeight = useRowHeight();
  const focus = useGridFocus(props, scroller, rowHeight);
  const { rows, size } = useGridRows(props, scroller, rowHeight, focus);
  const touched = useScrolledOrSelected(onScrolledOrSelected);
  const open = useLatest(onOpen);
  const peek = useLatest((index: number) => onPeek?.(keyAt(index)));
  const focused = useLatest(focus.onFocus);
  const tracks = `${selection ? `${SELECT_WIDTH}px ` : ''}${tracksOf(columns)}`;
  const minWidth = minWidthOf(columns, selection ? SELECT_WIDTH : 0);
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-describedby={helpId}
      aria-rowcount={isComplete ? length + 1 : -1}
      className={styles.grid}
      {...(selection && { 'aria-multiselectable': true })}
      {...touched}
      onKeyDown={focus.onKeyDown}
      tabIndex={length === 0 ? 0 : -1}
    >
      <span id={helpId} hidden>
        Arrow keys move between rows, Enter opens a row. Sortable headers are above the first row.
      </span>
      <GridHeader columns={columns} tracks={tracks} minWidth={minWidth} page={selection && (props.page ?? null)} />
      <div role="rowgroup" className={styles.rows} style={{ height: size, minWidth }}>
        {rows.map((index) => {
          const row = rowAt(index);
          return (
            <GridRow
              key={keyAt(index)}
              {...{ index, row, columns, tracks, selection }}
              state={row === undefined ? undefined : stateOf?.(row)}
              offset={index * rowHeight}
              height={rowHeight}
              isOpen={openKey !== undefined && keyAt(index) === openKey}
              isCurrent={index === focus.tabStop(rows)}
              onOpen={open}
              onPeek={peek}
              onFocus={focused}
            />
          );
        })}
      </div>
    </div>
  );
}

interface GridHeaderProps<Row> {
  columns: readonly GridColumn<Row>[];
  tracks: string;
  minWidth: number;
  /** `undefined` where no row can be selected, `null` where each is by itself. */
  page: PageSelection | null | undefined;
}

/**
 * The row of columnheaders, which stays in view. The grid is one stop of Tab: its first row leads up to the headers that sort,
 * and arrows from one to the next.
 */
function GridHeaderView<Row>({ columns, tracks, minWidth, page }: GridHeaderProps<Row>) {
  const row = useRef<HTMLDivElement>(null);
  return (
    <div role="rowgroup" className={styles.head} style={{ minWidth }}>
      <div ref={row} role="row" aria-rowindex={1} className={styles.headRow} style={{ gridTemplateColumns: tracks }}>
        {page !== undefined && (
          <div role="columnheader" className={styles.headCell}>
            {page === null ? (
              <span className="visually-hidden">Selected</span>
            ) : (
              <input
                type="checkbox"
                className={styles.select}
                tabIndex={-1}
                aria-label="Select this page"
                checked={page.isSelected}
                disabled={page.toggle === undefined}
                onChange={page.toggle}
              />
            )}
          </div>
        )}
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} onGrab={() => fixGrowing(columns, row.current)} />
        ))}
      </div>
    </div>
  );
}

const GridHeader = memo(GridHeaderView) as typeof GridHeaderView;

/** The column that takes what is left keeps the width that it has, or it would move the edge that is dragged. */
function fixGrowing<Row>(columns: readonly GridColumn<Row>[], row: HTMLElement | null): void {
  const at = columns.findIndex(({ grows }) => grows && grows !== 'in-wide-windows');
  const cell = row?.querySelectorAll<HTMLElement>('[role=columnheader][data-column]')[at];
  if (cell) columns[at]!.onResize?.(cell.offsetWidth, true);
}

interface HeaderCellProps<Row> {
  column: GridColumn<Row>;
  onGrab(): void;
}

function HeaderCell<Row>({ column, onGrab }: HeaderCellProps<Row>) {
  const { header, note, align, sort } = column;
  return (
    <div
      role="columnheader"
      data-column={column.id}
      className={styles.headCell}
      data-align={align}
      {...(sort && { 'aria-sort': sort.direction })}
    >
      <span className={styles.headText}>
        {sort === undefined ? (
          header
        ) : (
          <button type="button" tabIndex={-1} className={styles.sort} onClick={sort.onSort}>
            {header}
            {sort.direction !== 'none' && (
              <Icon name={sort.direction === 'ascending' ? 'arrowUp' : 'arrowDown'} size={12} />
            )}
          </button>
        )}
        {note !== undefined && (
          <span aria-hidden="true" className={styles.note}>
            {note}
          </span>
        )}
      </span>
      {column.onResize && <ResizeHandle onResize={column.onResize} onGrab={onGrab} />}
    </div>
  );
}

interface ResizeHandleProps extends Required<Pick<GridColumn<unknown>, 'onResize'>> {
  /** Called once before the column changes. */
  onGrab(): void;
}

interface Drag {
  from: number;
  width: number;
  hasMoved: boolean;
}

/** The edge of a header by which a column is dragged wider or narrower; pressed twice it is as it was. Keys have the panel of columns. */
function ResizeHandle({ onResize, onGrab }: ResizeHandleProps) {
  const drag = useRef<Drag | null>(null);
  const grab = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { from: event.clientX, width: event.currentTarget.parentElement!.offsetWidth, hasMoved: false };
  };
  const resize = ({ clientX }: PointerEvent, isDone: boolean): void => {
    const { current } = drag;
    if (current === null || (!current.hasMoved && clientX === current.from)) return;
    if (!current.hasMoved) onGrab();
    current.hasMoved = true;
    onResize(current.width + clientX - current.from, isDone);
  };
  const letGo = (): void => {
    drag.current = null;
  };
  return (
    <span
      aria-hidden="true"
      className={styles.resize}
      onPointerDown={grab}
      onPointerMove={(event) => resize(event, false)}
      onPointerUp={(event) => {
        resize(event, true);
        letGo();
      }}
      onPointerCancel={letGo}
      onDoubleClick={() => onResize(null, true)}
    />
  );
}

interface GridRowProps<Row> {
  index: number;
  row: Row | undefined;
  columns: readonly GridColumn<Row>[];
  tracks: string;
  offset: number;
  height: number;
  /** Whether Tab leads to this row, and from here to what is in it. */
  isCurrent: boolean;
  /** Whether the page shows all of this row. */
  isOpen: boolean;
  state: string | undefined;
  selection: GridSelection<Row> | undefined;
  onOpen(row: Row): void;
  onPeek(index: number): void;
  onFocus(index: number): void;
}

function GridRowView<Row>(props: GridRowProps<Row>) {
  const { index, row, columns, tracks, offset, height, isCurrent, isOpen, state, selection, onOpen, onPeek, onFocus } =
    props;
  const isSelected = row !== undefined && selection?.isSelected(row) === true;
  return (
    // Keys are handled by the grid, which knows the rows around this one.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-state={state}
      className={styles.row}
      tabIndex={isCurrent ? 0 : -1}
      style={{ gridTemplateColumns: tracks, height, transform: `translateY(${offset}px)` }}
      {...(selection && { 'aria-selected': isSelected })}
      {...(isOpen && { 'aria-current': true })}
      {...(row === undefined && { 'aria-busy': true })}
      onFocus={() => onFocus(index)}
      onClick={(event) => {
        if (row === undefined || !isPlainPress(event)) return;
        const isPeek = (event.target as Element).closest('[data-peeks]') !== null;
        if (isPeek) onPeek(index);
        else onOpen(row);
      }}
    >
      {selection && (
        <div role="gridcell" className={styles.cell}>
          {row !== undefined && (
            <input
              type="checkbox"
              className={styles.select}
              aria-label={`Select ${selection.nameOf(row)}`}
              tabIndex={isCurrent ? 0 : -1}
              checked={isSelected}
              onChange={() => selection.toggle(row)}
            />
          )}
        </div>
      )}
      {columns.map((column) => (
        <div
          key={column.id}
          role="gridcell"
          className={styles.cell}
          data-align={column.align}
          data-peeks={column.peeks}
        >
          {row === undefined ? <span className={styles.waiting} /> : column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** A row of a grid. It is drawn again only when something of it changed. */
const GridRow = memo(GridRowView) as typeof GridRowView;

/** A press on a row opens it, unless it was on something in it, or the end of marking text. */
function isPlainPress(event: MouseEvent): boolean {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  if (event.target instanceof Element && event.target.closest('a, button, input, label') !== null) return false;
  return getSelection()?.isCollapsed !== false;
}

/** Rows at the top that are looked at. */
const LOOKED_AT = 100;

/** The columns of a grid; costs of one have the same decimals, those that the first rows need. */
function useCostColumns<Row>({ columns, length, rowAt }: GridProps<Row>): readonly GridColumn<Row>[] {
  const count = Math.min(length, LOOKED_AT);
  // The first rows of a list may leave the memory again.
  const known = useRef<Record<string, number>>({});
  return useMemo(() => {
    const rows = Array.from({ length: count }, (_, index) => rowAt(index)).filter((row) => row !== undefined);
    return columns.map((column) => {
      const { id, costOf } = column;
      if (!costOf) return column;
      if (rows.length > 0) known.current[id] = costDigits(rows.map(costOf));
      const digits = known.current[id] ?? 0;
      const cell = (row: Row) => (
        <span title={formatCostExactly(costOf(row))}>{formatColumnCost(costOf(row), digits)}</span>
      );
      return { ...column, cell };
    });
    // oxlint-disable-next-line react/exhaustive-deps -- they are other rows when the first or the last is
  }, [columns, rowAt(0), rowAt(count - 1)]);
}
