import type { ReactNode } from 'react';
import type { GridColumn } from '../../components/grid/grid-props.js';

/** Pixels, or these with what else is to be said of the column. */
type Size = number | Pick<GridColumn<unknown>, 'width' | 'grows' | 'align' | 'note'>;

/** A column of whatever a row has to show. */
export function cellColumn<Row>(
  id: string,
  header: string,
  size: Size,
  cell: (row: Row) => ReactNode,
): GridColumn<Row> {
  return { id, header, ...(typeof size === 'number' ? { width: size } : size), cell };
}
