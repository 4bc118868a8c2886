import { useRef } from 'react';
import { Icon } from '../icon.js';
import type { GridColumn } from './grid-column.js';
import { ResizeHandle } from './resize-handle.js';
import styles from './grid.module.css';

interface GridHeaderProps<Row> {
  columns: readonly GridColumn<Row>[];
  tracks: string;
  minWidth: number;
  hasSelection: boolean;
}

/**
 * The row of columnheaders, which stays in view. The grid is one stop of Tab: its first row leads up to the headers that sort,
 * and arrows from one to the next.
 */
export function GridHeader<Row>({ columns, tracks, minWidth, hasSelection }: GridHeaderProps<Row>) {
  const row = useRef<HTMLDivElement>(null);
  return (
    <div role="rowgroup" className={styles.head} style={{ minWidth }}>
      <div ref={row} role="row" aria-rowindex={1} className={styles.headRow} style={{ gridTemplateColumns: tracks }}>
        {hasSelection && (
          <div role="columnheader" className={styles.headCell}>
            <span className="visually-hidden">Selected</span>
          </div>
        )}
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} onGrab={() => fixGrowing(columns, row.current)} />
        ))}
      </div>
    </div>
  );
}

/** The column that takes what is left keeps the width that it has, or it would move the edge that is dragged. */
function fixGrowing<Row>(columns: readonly GridColumn<Row>[], row: HTMLElement | null): void {
  const at = columns.findIndex(({ grows }) => grows);
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
