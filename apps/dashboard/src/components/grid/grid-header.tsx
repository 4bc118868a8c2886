import { Icon } from '../icon.js';
import type { GridColumn } from './grid-column.js';
import styles from './grid.module.css';

interface GridHeaderProps<Row> {
  columns: readonly GridColumn<Row>[];
  tracks: string;
  minWidth: number;
  hasSelection: boolean;
}

/** The row of columnheaders, which stays in view. */
export function GridHeader<Row>({ columns, tracks, minWidth, hasSelection }: GridHeaderProps<Row>) {
  return (
    <div role="rowgroup" className={styles.head} style={{ minWidth }}>
      <div role="row" aria-rowindex={1} className={styles.headRow} style={{ gridTemplateColumns: tracks }}>
        {hasSelection && (
          <div role="columnheader" className={styles.headCell}>
            <span className="visually-hidden">Selected</span>
          </div>
        )}
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} />
        ))}
      </div>
    </div>
  );
}

function HeaderCell<Row>({ column: { header, note, align, sort } }: { column: GridColumn<Row> }) {
  if (sort === undefined) {
    return (
      <div role="columnheader" className={styles.headCell} data-align={align}>
        {header}
        {note !== undefined && (
          <span aria-hidden="true" className={styles.note}>
            {note}
          </span>
        )}
      </div>
    );
  }
  return (
    <div role="columnheader" aria-sort={sort.direction} className={styles.headCell} data-align={align}>
      <button type="button" className={styles.sort} onClick={sort.onSort}>
        {header}
        {sort.direction !== 'none' && (
          <Icon name={sort.direction === 'ascending' ? 'arrowUp' : 'arrowDown'} size={12} />
        )}
      </button>
    </div>
  );
}
