import type { Ref, ReactNode } from 'react';

/** Where a reader is in a list. */
export interface GridPlace {
  scrollTop: number;
  /** The key of the row that had the focus. */
  key: string | null;
}

export interface GridSelection<Row> {
  isSelected(row: Row): boolean;
  toggle(row: Row): void;
  /** Name of the checkbox: `Select <name>`. */
  nameOf(row: Row): string;
}

/** Whether all rows of a page are selected, and what selects them or none. */
export interface PageSelection {
  isSelected: boolean;
  /** `undefined` while there is no row to select. */
  toggle: (() => void) | undefined;
}

export interface GridHandle {
  focusRow(index: number): void;
}

export interface GridProps<Row> {
  label: string;
  columns: readonly GridColumn<Row>[];
  /** Rows there are as far as is known. */
  length: number;
  /** Whether `length` is all; else the number of rows is given as unknown. */
  isComplete: boolean;
  /** A row, `undefined` while it is fetched. */
  rowAt(index: number): Row | undefined;
  /** What stays with a row when it moves: its id. */
  keyAt(index: number): string;
  /** Opens a row: by Enter, by a press beside its link, and while one is open by moving on to another, which replaces it. */
  onOpen(row: Row, isReplacing?: boolean): void;
  /** Shows a row beside the list: by Space, and by a press on a column that `peeks`. */
  onPeek?(key: string): void;
  /** The rows on screen, first and last, with those about to come. */
  onVisible?(first: number, last: number): void;
  selection?: GridSelection<Row>;
  /** Has a checkbox above those of the rows. */
  page?: PageSelection | undefined;
  /** Another list has another key: it begins at its first row, or at `place`. */
  listKey?: string | undefined;
  /** Where the reader was when leaving, to begin there again. */
  place?: GridPlace | undefined;
  onPlace?(place: GridPlace): void;
  /** Whether the reader is in the list: scrolled, focused inside or hovered. Rows must not move meanwhile. */
  onScrolledOrSelected?(isScrolledOrSelected: boolean): void;
  /** Key of the row of which the page shows all, so that it is marked. */
  openKey?: string | undefined;
  /** Changes rows that look different from others, by `data-state`. */
  stateOf?(row: Row): string | undefined;
  ref?: Ref<GridHandle>;
}

export interface GridColumn<Row> {
  id: string;
  header: string;
  /** Words beside the header that are not part of its name: the zone of times. */
  note?: string;
  /** Pixels; the column that `grows` takes what is left, up to so many pixels for a name, and has at least these. */
  width: number;
  /** `in-wide-windows` where a text is cut in others, as the names of models are: the column that takes what is left goes before. */
  grows?: boolean | number | 'in-wide-windows';
  align?: 'end';
  /** Whether it is the beginning of what a peek shows, so that a press on it opens one. */
  peeks?: boolean;
  cell(row: Row): ReactNode;
  /** The cost that `cell` shows: those of a column have the same decimals. */
  costOf?(row: Row): number | null | undefined;
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
  return columns
    .map(({ width, grows }) => (grows ? `minmax(${width}px, ${limitOf(width, grows)})` : `${width}px`))
    .join(' ');
}

function limitOf(width: number, grows: true | number | 'in-wide-windows'): string {
  if (grows === 'in-wide-windows') return `clamp(${width}px, 30vw - 500px, 240px)`;
  return grows === true ? '1fr' : `${grows}px`;
}

const GAP = 12;
/** Pixels before the first and behind the last one. */
const PADDING = 8;

/** Pixels below which a grid scrolls sideways in itself. @param before pixels of what comes before the columns. */
export function minWidthOf(columns: readonly Pick<GridColumn<unknown>, 'width'>[], before: number): number {
  const widths = columns.map(({ width }) => width + GAP);
  return (before > 0 ? before + GAP : 0) + widths.reduce((sum, width) => sum + width, 0) + 2 * PADDING - GAP;
}
