import { memo, type MouseEvent } from 'react';
import type { GridColumn } from './grid-column.js';
import type { GridSelection } from './grid-props.js';
import styles from './grid.module.css';

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
  onFocus(index: number): void;
}

function GridRowView<Row>(props: GridRowProps<Row>) {
  const { index, row, columns, tracks, offset, height, isCurrent, isOpen, state, selection, onOpen, onFocus } = props;
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
      onClick={(event) => row !== undefined && isPlainPress(event) && onOpen(row)}
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
        <div key={column.id} role="gridcell" className={styles.cell} data-align={column.align}>
          {row === undefined ? <span className={styles.waiting} /> : column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** A row of a grid. It is drawn anew only when something of it changed. */
export const GridRow = memo(GridRowView) as typeof GridRowView;

/** A press on a row opens it, unless it was on something in it, or the end of marking text. */
function isPlainPress(event: MouseEvent): boolean {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  if (event.target instanceof Element && event.target.closest('a, button, input, label') !== null) return false;
  return getSelection()?.isCollapsed !== false;
}
