/** What a key does in a tree: moves to a row, or opens or folds the row of now. */
export type TreeStep = { to: number } | { toggle: number } | null;

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
