import { useId, useRef, memo, type MouseEvent } from 'react';
import { useFixedRows } from '../use-fixed-rows.js';
import { useLatest, useRowHeight } from '../hooks.js';
import { useSteadyRows, useTreeFocus, type TreeGridProps, type TreeGridColumn } from './use-tree-grid.js';
import styles from './tree-grid.module.css';

/**
 * A tree with columns after the ARIA treegrid pattern, of any length: rows exist while they are near the screen. The
 * selection goes with the focus (arrows, Home, End, PageUp, PageDown, `j`, `k`), `←` `→` fold and open, Enter goes on.
 */
export function TreeGrid(props: TreeGridProps) {
  const { label, columns, rows, selected, backdrop, onSelect } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const helpId = useId();
  const rowHeight = useRowHeight();
  const fixed = useFixedRows(scroller, rows.length, rowHeight, rowHeight);
  const { onKeyDown } = useTreeFocus(props, scroller, fixed);
  useSteadyRows(props, scroller, spacer, rowHeight);
  const tracks = columns.map(({ width, grows }) => (grows ? `minmax(${width}px, ${grows}fr)` : `${width}px`)).join(' ');
  const minWidth = columns.reduce((sum, { width }) => sum + width + GAP, GAP);
  const press = useLatest((row: number) => onSelect(row, 'press'));
  const drawn = drawnRows(fixed.first, fixed.last, selected);
  const tabStop = selected >= 0 ? selected : (drawn[0] ?? -1);
  return (
    <div
      ref={scroller}
      role="treegrid"
      aria-label={label}
      aria-describedby={helpId}
      aria-rowcount={rows.length + 1}
      className={styles.grid}
      onKeyDown={onKeyDown}
      tabIndex={rows.length === 0 ? 0 : -1}
    >
      <span id={helpId} hidden>
        Up and down arrow keys move between rows, left and right arrow keys collapse and expand them.
      </span>
      <div role="rowgroup" className={styles.head} style={{ minWidth }}>
        <div role="row" aria-rowindex={1} className={styles.headRow} style={{ gridTemplateColumns: tracks }}>
          {columns.map(({ id, header, align }) => (
            <div key={id} role="columnheader" className={styles.headCell} data-align={align}>
              {header}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles.rows} style={{ height: rows.length * rowHeight, minWidth }}>
        {backdrop !== undefined && (
          <div role="presentation" className={styles.backdrop} style={{ gridTemplateColumns: tracks }}>
            {backdrop}
          </div>
        )}
        {drawn.map((index) => {
          const row = rows[index]!;
          return (
            <TreeGridRow
              key={props.keyOf(row)}
              {...{ index, row, columns, tracks }}
              depth={props.depthOf(row)}
              isOpen={props.isOpen(row)}
              state={props.stateOf(row)}
              isSelected={index === selected}
              isTabStop={index === tabStop}
              offset={index * rowHeight}
              height={rowHeight}
              onPress={press}
            />
          );
        })}
      </div>
      <div ref={spacer} role="presentation" />
    </div>
  );
}

const GAP = 8;

function drawnRows(first: number, last: number, selected: number): number[] {
  const drawn = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  if (selected >= 0 && selected < first) return [selected, ...drawn];
  return selected >= last ? [...drawn, selected] : drawn;
}

interface TreeGridRowProps {
  index: number;
  row: number;
  depth: number;
  isOpen: boolean | undefined;
  isSelected: boolean;
  /** Whether Tab leads to this row. */
  isTabStop: boolean;
  state: string | undefined;
  columns: readonly TreeGridColumn[];
  tracks: string;
  offset: number;
  height: number;
  onPress(row: number): void;
}

function TreeGridRowView(props: TreeGridRowProps) {
  const { index, row, depth, isOpen, isSelected, isTabStop, state, columns, tracks, offset, height, onPress } = props;
  const press = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest('a, button') !== null) return;
    onPress(row);
  };
  return (
    // Keys are handled by the treegrid, which knows the rows around this one.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="row"
      aria-level={depth + 1}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      {...(isOpen !== undefined && { 'aria-expanded': isOpen })}
      data-index={index}
      data-state={state}
      className={styles.row}
      tabIndex={isTabStop ? 0 : -1}
      style={{ gridTemplateColumns: tracks, height, transform: `translateY(${offset}px)` }}
      onClick={press}
    >
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={styles.cell} data-align={column.align}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** A row of a treegrid. It is drawn again only when something of it changed. */
const TreeGridRow = memo(TreeGridRowView);
