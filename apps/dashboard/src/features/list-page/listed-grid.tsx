import { useRef, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import type { GridHandle, GridSelection } from '../../components/grid/grid-props.js';
import { useDelayed } from '../../components/use-delayed.js';
import { describeHeld } from '../../live/held-rows.js';
import { ColumnsPanel, type ColumnsPanelProps } from '../columns/columns-panel.js';
import { useListPlace } from '../list-place.js';
import type { LiveList } from '../live-list/use-live-list.js';
import type { PagedList } from '../paged-list/use-paged-list.js';
import styles from './listed-grid.module.css';

export interface ListedGridProps<Row> {
  /** Name of the grid: `Spans`. */
  label: string;
  /** What one row is: `span`. */
  one: string;
  /** How many there are, in words. */
  count: string;
  list: PagedList<Row>;
  live: LiveList;
  /** Which list the rows are of. */
  shownKey: string;
  columns: { shown: readonly GridColumn<Row>[]; panel: ColumnsPanelProps };
  onOpen(row: Row): void;
  /** Whether somebody deleted the row since it was read. */
  isDeleted(row: Row): boolean;
  selection?: GridSelection<Row>;
  /** Key of the row of which the page shows all. */
  openKey?: string | undefined;
  /** Toolbar of what is selected, while something is. */
  toolbar?: ReactNode;
}

/** Rows that stand for those that are awaited. */
const AWAITED_ROWS = 30;

/** A list with what is above it: how many there are, what waits to be shown, what is done with selected rows, columns. */
export function ListedGrid<Row>(props: ListedGridProps<Row>) {
  const { label, one, count, list, live, shownKey, columns, onOpen, isDeleted, selection, openKey, toolbar } = props;
  const grid = useRef<GridHandle>(null);
  const isAwaited = useDelayed(list.isWaiting && list.length === 0);
  const showHeld = (): void => {
    live.show();
    // The rows are there with the next frame.
    requestAnimationFrame(() => grid.current?.focusRow(0));
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
        {live.held !== null && (
          <Button className={styles.held} variant="primary" icon="arrowUp" onClick={showHeld}>
            {describeHeld(live.held, one)}
          </Button>
        )}
      </div>
      <Grid<Row>
        ref={grid}
        label={label}
        listKey={shownKey}
        columns={columns.shown}
        length={isAwaited ? AWAITED_ROWS : list.length}
        isComplete={list.isComplete}
        rowAt={list.rowAt}
        keyAt={list.keyAt}
        onVisible={list.onVisible}
        onOpen={onOpen}
        openKey={openKey}
        {...(selection && { selection })}
        stateOf={(row) => (isDeleted(row) ? 'deleted' : undefined)}
        onTouched={live.onTouched}
        {...useListPlace()}
      />
    </>
  );
}
