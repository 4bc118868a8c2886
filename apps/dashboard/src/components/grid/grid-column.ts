import type { ReactNode } from 'react';

/** A column of a grid. */
export interface GridColumn<Row> {
  id: string;
  /** Name of the columnheader. */
  header: string;
  /** Words beside the header that are not part of its name: the zone of times. */
  note?: string;
  /** Pixels; the column that `grows` takes what is left and has at least these. */
  width: number;
  grows?: boolean;
  align?: 'end';
  cell(row: Row): ReactNode;
  /**
   * Makes the column wider or narrower, where that is offered.
   * @param width pixels; `null` for the width that it came with.
   * @param isDone whether the width stays, or is still being dragged.
   */
  onResize?(width: number | null, isDone: boolean): void;
  /** Whether the list is sorted by this column, for columns by which the server can sort. */
  sort?: { direction: 'ascending' | 'descending' | 'none'; onSort(): void };
}

/** The CSS tracks of the columns. */
export function tracksOf(columns: readonly Pick<GridColumn<unknown>, 'width' | 'grows'>[]): string {
  return columns.map(({ width, grows }) => (grows ? `minmax(${width}px, 1fr)` : `${width}px`)).join(' ');
}

/** Pixels between two columns. */
const GAP = 12;
/** Pixels before the first and behind the last one. */
const PADDING = 8;

/** Pixels below which a grid scrolls sideways in itself. @param before pixels of what comes before the columns. */
export function minWidthOf(columns: readonly Pick<GridColumn<unknown>, 'width'>[], before: number): number {
  const widths = columns.map(({ width }) => width + GAP);
  return (before > 0 ? before + GAP : 0) + widths.reduce((sum, width) => sum + width, 0) + 2 * PADDING - GAP;
}
