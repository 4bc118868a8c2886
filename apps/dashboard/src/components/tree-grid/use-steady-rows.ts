import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { TreeGridProps } from './tree-grid-props.js';

/** The row that stays where it is on the screen, and how far from the top it is. */
interface Anchor {
  key: string;
  offset: number;
}

/**
 * Keeps the selected row, or the first one that is seen, where it is on the screen when rows come or go above it: nothing
 * moves under the reader's eyes.
 * @param spacer an empty element behind the rows, which is given the room that this takes below the last one.
 */
export function useSteadyRows(
  { rows, selected, keyOf, indexOf }: TreeGridProps,
  scroller: RefObject<HTMLElement | null>,
  spacer: RefObject<HTMLElement | null>,
  rowHeight: number,
): void {
  const anchor = useRef<Anchor | null>(null);
  const latest = useRef({ rows, selected, keyOf, indexOf });
  useLayoutEffect(() => {
    latest.current = { rows, selected, keyOf, indexOf };
  });
  useLayoutEffect(() => {
    const element = scroller.current!;
    const index = anchor.current === null ? -1 : latest.current.indexOf(anchor.current.key);
    if (anchor.current === null || index === -1) return;
    const scrollTop = Math.max(0, index * rowHeight - anchor.current.offset);
    // Below the last row there is not always as much to scroll to as has come above.
    spacer.current!.style.height = `${roomBelow(scrollTop, element, rows.length, rowHeight)}px`;
    element.scrollTop = scrollTop;
  }, [rows, rowHeight, scroller, spacer]);
  useEffect(() => {
    const element = scroller.current!;
    const note = (): void => {
      spacer.current!.style.height = `${roomBelow(element.scrollTop, element, latest.current.rows.length, rowHeight)}px`;
      const index = anchorIndex(latest.current.selected, latest.current.rows.length, element, rowHeight);
      const row = latest.current.rows[index];
      anchor.current =
        row === undefined ? null : { key: latest.current.keyOf(row), offset: index * rowHeight - element.scrollTop };
    };
    note();
    element.addEventListener('scroll', note, { passive: true });
    return () => element.removeEventListener('scroll', note);
  }, [rows, selected, rowHeight, scroller, spacer]);
}

/** Pixels that a place of the scroll bar needs below the last row; the header is as high as a row. */
function roomBelow(scrollTop: number, { clientHeight }: HTMLElement, count: number, rowHeight: number): number {
  return scrollTop > 0 ? Math.max(0, scrollTop + clientHeight - (count + 1) * rowHeight) : 0;
}

/** The selected row where it is seen, else the first that is. At the very top nothing is held, so that new rows show. */
function anchorIndex(selected: number, count: number, element: HTMLElement, rowHeight: number): number {
  const first = Math.ceil(element.scrollTop / rowHeight);
  const last = Math.floor((element.scrollTop + element.clientHeight) / rowHeight);
  if (selected >= first && selected < Math.min(last, count)) return selected;
  return first === 0 ? -1 : first;
}
