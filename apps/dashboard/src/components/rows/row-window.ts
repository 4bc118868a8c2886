/** Rows drawn beyond both edges of what is seen, so that a quick scroll shows no blank. */
const OVERSCAN = 10;

/** What of a list of rows of one height is seen. */
export interface RowWindow {
  scrollTop: number;
  /** Pixels of rows that are seen at once. */
  height: number;
}

/** First row to draw, and the one behind the last. */
export function rowsIn({ scrollTop, height }: RowWindow, rowHeight: number, count: number): [number, number] {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN);
  const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN);
  return [Math.min(first, last), last];
}

/** Where to scroll so that a row is seen, moving as little as possible; in the middle where it was far away. */
export function scrollTopFor(row: number, { scrollTop, height }: RowWindow, rowHeight: number): number {
  const top = row * rowHeight;
  const isAbove = top < scrollTop;
  const isBelow = top + rowHeight > scrollTop + height;
  if (!isAbove && !isBelow) return scrollTop;
  const distance = isAbove ? scrollTop - top : top + rowHeight - scrollTop - height;
  if (distance > height) return Math.max(0, top - (height - rowHeight) / 2);
  return isAbove ? top : top + rowHeight - height;
}
