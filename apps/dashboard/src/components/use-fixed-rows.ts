import { useCallback, useLayoutEffect, useState, type RefObject } from 'react';

export interface FixedRows {
  /** First row to draw. */
  first: number;
  /** The row behind the last to draw. */
  last: number;
  /** Rows that are seen at once. */
  page: number;
  reveal(row: number): void;
}

/**
 * Which rows of one height to draw, of a list of any length. Costs the same however many there are.
 * @param scroller the element that scrolls; its content is as high as all rows.
 * @param headerHeight pixels that a sticky header hides at the top.
 */
export function useFixedRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  headerHeight = 0,
): FixedRows {
  const [[first, last], setRows] = useState<[number, number]>([0, 0]);
  const [page, setPage] = useState(1);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const update = (): void => {
      const seen = windowOf(element, headerHeight);
      const rows = rowsIn(seen, rowHeight, count);
      // Two equal numbers are the same state: nothing is drawn again while scrolling within a row.
      setRows((before) => (before[0] === rows[0] && before[1] === rows[1] ? before : rows));
      setPage(Math.max(1, Math.floor(seen.height / rowHeight)));
    };
    update();
    const resizes = new ResizeObserver(update);
    resizes.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      resizes.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [scroller, count, rowHeight, headerHeight]);
  const reveal = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (element === null) return;
      element.scrollTop = scrollTopFor(row, windowOf(element, headerHeight), rowHeight);
    },
    [scroller, rowHeight, headerHeight],
  );
  return { first, last: Math.min(last, count), page, reveal };
}

function windowOf(element: HTMLElement, headerHeight: number): RowWindow {
  return { scrollTop: element.scrollTop, height: Math.max(0, element.clientHeight - headerHeight) };
}

/** Rows drawn beyond both edges of what is seen, so that a quick scroll shows no blank. */
const OVERSCAN = 10;

/** What of a list of rows of one height is seen. */
interface RowWindow {
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
