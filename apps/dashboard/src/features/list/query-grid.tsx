import type { ReactNode } from 'react';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { QueryFault } from '../../components/page-parts.js';
import { useListPlace } from './list-memory.js';

interface QueryGridProps<Row> {
  label: string;
  query: { isSuccess: boolean; error: Error | null; refetch(): unknown };
  rows: readonly Row[];
  columns: readonly GridColumn<Row>[];
  onOpen(row: Row): void;
  /** What stands in its place without rows. */
  empty: ReactNode;
  above?: ReactNode;
}

/** A list that is read at once, as long as it is. */
export function QueryGrid<Row extends { id: string }>(props: QueryGridProps<Row>) {
  const { label, query, rows, columns, onOpen, empty, above } = props;
  const place = useListPlace();
  if (query.isSuccess && rows.length === 0) return empty;
  return (
    <>
      <QueryFault title={`${label} could not be loaded`} query={query} />
      {above && <div>{above}</div>}
      <Grid<Row>
        {...{ label, columns, onOpen }}
        length={rows.length}
        isComplete={query.isSuccess}
        rowAt={(index) => rows[index]}
        keyAt={(index) => rows[index]?.id ?? String(index)}
        {...place}
      />
    </>
  );
}
