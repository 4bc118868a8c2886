import {
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useEffect,
  useEffectEvent,
  type ReactNode,
  type Ref,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { isRowKey, rowAfterKey, stepSideways, type RowKey, type TreeRows } from '../row-keys.js';
import type { FixedRows } from '../use-fixed-rows.js';
import { useShortcuts } from '../shortcuts/use-shortcuts.js';

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

/** Keys of a treegrid. The selection goes with the focus, so that what is beside the tree shows the row one is on. */
export function useTreeFocus(props: TreeGridProps, scroller: RefObject<HTMLElement | null>, fixed: FixedRows) {
  const { rows, selected, depthOf, isOpen, onSelect, onToggle, onOpen, ref } = props;
  const wanted = useRef<number | null>(null);
  // The row may have been drawn only now.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const element = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!element) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
  });
  const reveal = (index: number, withFocus: boolean): void => {
    if (index < 0 || index >= rows.length) return;
    if (withFocus) wanted.current = index;
    fixed.reveal(index);
  };
  useImperativeHandle(ref, () => ({ reveal }));

  const moveTo = (index: number): void => {
    if (index < 0 || index >= rows.length) return;
    reveal(index, true);
    onSelect(rows[index]!, 'key');
  };
  const move = (key: RowKey): void => moveTo(rowAfterKey(key, selected, rows.length, fixed.page));
  useShortcuts([
    { keys: 'j', label: 'Next row', group: 'Lists', run: () => move('ArrowDown') },
    { keys: 'k', label: 'Previous row', group: 'Lists', run: () => move('ArrowUp') },
  ]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isRowKey(event.key)) {
      event.preventDefault();
      move(event.key);
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      event.preventDefault();
      const shown: TreeRows = {
        length: rows.length,
        depthAt: (index) => depthOf(rows[index]!),
        isOpenAt: (index) => isOpen(rows[index]!),
      };
      const step = stepSideways(event.key, shown, selected);
      if (step !== null && 'to' in step) moveTo(step.to);
      else if (step !== null) onToggle(rows[step.toggle]!);
    } else if (event.key === 'Enter' && event.target instanceof Element && event.target.role === 'row') {
      event.preventDefault();
      if (selected >= 0) onOpen(rows[selected]!);
    }
  };
  return { onKeyDown };
}

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
  const indexNow = useEffectEvent(indexOf);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const index = anchor.current === null ? -1 : indexNow(anchor.current.key);
    if (anchor.current === null || index === -1) return;
    const scrollTop = Math.max(0, index * rowHeight - anchor.current.offset);
    // Below the last row there is not always as much to scroll to as has come above.
    spacer.current!.style.height = `${roomBelow(scrollTop, element, rows.length, rowHeight)}px`;
    element.scrollTop = scrollTop;
  }, [rows, rowHeight, scroller, spacer]);
  const noteAnchor = useEffectEvent((element: HTMLElement) => {
    spacer.current!.style.height = `${roomBelow(element.scrollTop, element, rows.length, rowHeight)}px`;
    const index = anchorIndex(selected, rows.length, element, rowHeight);
    const row = rows[index];
    anchor.current = row === undefined ? null : { key: keyOf(row), offset: index * rowHeight - element.scrollTop };
  });
  useEffect(() => {
    const element = scroller.current!;
    const note = (): void => noteAnchor(element);
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
