import { FaultNotice } from '../../components/fault-notice.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import type { PagedList } from '../../features/paged-list/use-paged-list.js';
import styles from './settings-page.module.css';

interface AdministeredGridProps<Row> {
  label: string;
  list: PagedList<Row>;
  columns: readonly GridColumn<Row>[];
}

/** A list within the page, which scrolls by itself when it is long. */
export function AdministeredGrid<Row>({ label, list, columns }: AdministeredGridProps<Row>) {
  if (list.error !== null)
    return <FaultNotice title={`${label} could not be loaded`} error={list.error} onRetry={list.retry} />;
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
        onOpen={ignore}
      />
    </div>
  );
}

/** Nothing is behind a row. */
const ignore = (): void => undefined;
