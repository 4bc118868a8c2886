import type { ReactNode, Ref } from 'react';

/** A column of a treegrid. Rows are numbers that stay with what they stand for while nothing changes. */
export interface TreeGridColumn {
  id: string;
  header: ReactNode;
  /** Pixels at least. */
  width: number;
  /** Share of what is left; without one the column keeps its width. */
  grows?: number;
  align?: 'end';
  cell(row: number): ReactNode;
}

/** What others may do with a treegrid on screen. */
export interface TreeGridHandle {
  /** Brings a row into view, and gives it the focus where asked to. */
  reveal(index: number, withFocus: boolean): void;
}

export interface TreeGridProps {
  label: string;
  columns: readonly TreeGridColumn[];
  /** Rows that are shown, top to bottom; another array where they have changed. */
  rows: Int32Array;
  /** Index of the selected row in `rows`, -1 for none. */
  selected: number;
  /** Depth of a row, from 0. */
  depthOf(row: number): number;
  /** Whether what is below a row is shown; `undefined` for a row with nothing below. */
  isOpen(row: number): boolean | undefined;
  /** What stays with a row when others come in above it. */
  keyOf(row: number): string;
  /** Index in `rows` by such a key, -1 where it is not shown. */
  indexOf(key: string): number;
  /** Changes rows that look different from others, by `data-state`. */
  stateOf(row: number): string | undefined;
  /** @param by a key moves through rows; a press chooses one. */
  onSelect(row: number, by: 'key' | 'press'): void;
  onToggle(row: number): void;
  /** Enter on a row. */
  onOpen(row: number): void;
  /** Drawn behind the rows, in the tracks of the columns. */
  backdrop?: ReactNode;
  ref?: Ref<TreeGridHandle>;
}
