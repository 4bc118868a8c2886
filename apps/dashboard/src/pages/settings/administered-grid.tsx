import type { ReactNode } from 'react';
import { FaultNotice } from '../../components/fault-notice.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import type { PagedList } from '../../features/paged-list/use-paged-list.js';
import styles from './settings-page.module.css';

interface AdministeredGridProps<Row> {
  label: string;
  list: PagedList<Row>;
  columns: readonly GridColumn<Row>[];
  /** What is shown where the list has nothing: what would be in it. */
  empty: ReactNode;
  /** Opens what is behind a row, where something is. */
  onOpen?(row: Row): void;
}

/** A list within the page, which scrolls by itself when it is long. */
export function AdministeredGrid<Row>({ label, list, columns, empty, onOpen = ignore }: AdministeredGridProps<Row>) {
  if (list.error !== null)
    return <FaultNotice title={`${label} could not be loaded`} error={list.error} onRetry={list.retry} />;
  if (list.isComplete && list.length === 0) return <div className={styles.hint}>{empty}</div>;
  return (
    <div className={styles.list}>
      <Grid<Row>
        label={label}
        columns={columns}
        length={list.length}
        isComplete={list.isComplete}
        rowAt={list.rowAt}
        keyAt={list.keyAt}
        onVisible={list.onVisible}
        onOpen={onOpen}
      />
    </div>
  );
}

/** What a row opens where nothing is behind it. */
const ignore = (): void => undefined;
