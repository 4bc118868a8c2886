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
