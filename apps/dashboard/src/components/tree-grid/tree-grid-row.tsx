import { memo, type MouseEvent } from 'react';
import type { TreeGridColumn } from './tree-grid-props.js';
import styles from './tree-grid.module.css';

export interface TreeGridRowProps {
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

/** A row of a treegrid. It is drawn anew only when something of it changed. */
export const TreeGridRow = memo(TreeGridRowView);
