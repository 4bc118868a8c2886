import type { Ref } from 'react';
import type { GridColumn } from './grid-column.js';

/** Where a reader is in a list. */
export interface GridPlace {
  scrollTop: number;
  /** The key of the row that had the focus. */
  key: string | null;
}

/** Which rows are selected. */
export interface GridSelection<Row> {
  isSelected(row: Row): boolean;
  toggle(row: Row): void;
  /** Name of the checkbox: `Select <name>`. */
  nameOf(row: Row): string;
}

/** What others may do with a grid on screen. */
export interface GridHandle {
  /** Brings a row into view and gives it the focus. */
  focusRow(index: number): void;
}

export interface GridProps<Row> {
  label: string;
  columns: readonly GridColumn<Row>[];
  /** Rows there are as far as is known. */
  length: number;
  /** Whether `length` is all; else the number of rows is told as unknown. */
  isComplete: boolean;
  /** A row, `undefined` while it is fetched. */
  rowAt(index: number): Row | undefined;
  /** What stays with a row when it moves: its id. */
  keyAt(index: number): string;
  /** Opens a row: by Enter and by a press beside its link. */
  onOpen(row: Row): void;
  /** The rows on screen, first and last, with those about to come. */
  onVisible?(first: number, last: number): void;
  selection?: GridSelection<Row>;
  /** Another list has another key: it begins at its first row, or at `place`. */
  listKey?: string | undefined;
  /** Where the reader was when leaving, to begin there again. */
  place?: GridPlace | undefined;
  onPlace?(place: GridPlace): void;
  /** Whether the reader is in the list: scrolled, focused inside or hovered. Rows must not move meanwhile. */
  onTouched?(isTouched: boolean): void;
  /** Key of the row of which the page shows all, so that it is marked. */
  openKey?: string | undefined;
  /** Changes rows that look different from others, by `data-state`. */
  stateOf?(row: Row): string | undefined;
  ref?: Ref<GridHandle>;
}
