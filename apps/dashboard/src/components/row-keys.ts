/** Keys that move from row to row, as the reader presses them in a list. */
export type RowKey = 'ArrowDown' | 'ArrowUp' | 'Home' | 'End' | 'PageDown' | 'PageUp';

const ROW_KEYS: ReadonlySet<string> = new Set<RowKey>([
  ...(['ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp'] as const),
]);

export function isRowKey(key: string): key is RowKey {
  return ROW_KEYS.has(key);
}

/**
 * The row that a key leads to.
 * @param from the row of now, -1 before the first move.
 * @param length rows there are; the result lies within, or is -1 where there is none.
 * @param page rows that are visible at once.
 */
export function rowAfterKey(key: RowKey, from: number, length: number, page: number): number {
  const to = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    Home: 0,
    End: length - 1,
    PageDown: from + Math.max(1, page - 1),
    PageUp: from - Math.max(1, page - 1),
  }[key];
  return Math.min(Math.max(to, 0), length - 1);
}

/** What a key does in a tree: moves to a row, or opens or folds the row of now. */
type TreeStep = { to: number } | { toggle: number } | null;

/** The rows of a tree as keys need them. Indexes are positions among the rows that are shown. */
export interface TreeRows {
  readonly length: number;
  depthAt(index: number): number;
  /** `undefined` for a row with nothing below. */
  isOpenAt(index: number): boolean | undefined;
}

/** `→` opens a row, then goes to its first child; `←` folds it, then goes to its parent (ARIA treegrid pattern). */
export function stepSideways(key: 'ArrowLeft' | 'ArrowRight', rows: TreeRows, index: number): TreeStep {
  if (index < 0 || index >= rows.length) return null;
  const isOpen = rows.isOpenAt(index);
  if (key === 'ArrowRight') {
    if (isOpen === undefined) return null;
    if (!isOpen) return { toggle: index };
    return hasChildBelow(rows, index) ? { to: index + 1 } : null;
  }
  if (isOpen === true) return { toggle: index };
  const parent = parentIndex(rows, index);
  return parent === -1 ? null : { to: parent };
}

/** A filter may have hidden the children of an open row. */
const hasChildBelow = (rows: TreeRows, index: number): boolean =>
  index + 1 < rows.length && rows.depthAt(index + 1) > rows.depthAt(index);

function parentIndex(rows: TreeRows, index: number): number {
  const depth = rows.depthAt(index);
  let above = index - 1;
  while (above >= 0 && rows.depthAt(above) >= depth) above--;
  return above;
}
