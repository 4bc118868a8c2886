import { useId, useRef } from 'react';
import { useLatest } from '../use-latest.js';
import { useRowHeight } from '../use-row-height.js';
import { minWidthOf, tracksOf } from './grid-column.js';
import { GridHeader } from './grid-header.js';
import type { GridProps } from './grid-props.js';
import { GridRow } from './grid-row.js';
import { useGridFocus } from './use-grid-focus.js';
import { useGridRows } from './use-grid-rows.js';
import { useTouched } from './use-touched.js';
import styles from './grid.module.css';

const SELECT_WIDTH = 24;

/**
 * A list with columns after the ARIA grid pattern, of any length: rows exist while they are near the screen. The focus
 * is on rows (arrows, Home, End, PageUp, PageDown, `j`, `k`), Enter opens, `x` selects; Tab goes through what is in the row.
 */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, columns, length, isComplete, rowAt, keyAt, selection, onOpen, openKey, onTouched, stateOf } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const helpId = useId();
  const rowHeight = useRowHeight();
  const focus = useGridFocus(props, scroller, rowHeight);
  const { items, size, headerHeight } = useGridRows(props, scroller, rowHeight, focus);
  const touched = useTouched(onTouched);
  const open = useLatest(onOpen);
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
        Arrow keys move between rows, Enter opens one. Above the first row are the headers that sort.
      </span>
      <GridHeader columns={columns} tracks={tracks} minWidth={minWidth} hasSelection={selection !== undefined} />
      <div role="rowgroup" className={styles.rows} style={{ height: size, minWidth }}>
        {items.map(({ index, start }) => {
          const row = rowAt(index);
          return (
            <GridRow
              key={keyAt(index)}
              {...{ index, row, columns, tracks, selection }}
              state={row === undefined ? undefined : stateOf?.(row)}
              offset={start - headerHeight}
              height={rowHeight}
              isOpen={openKey !== undefined && keyAt(index) === openKey}
              isCurrent={index === focus.tabStop(items)}
              onOpen={open}
              onFocus={focused}
            />
          );
        })}
      </div>
    </div>
  );
}
