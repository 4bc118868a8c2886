import {
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useEffect,
  useMemo,
  useEffectEvent,
  type KeyboardEvent,
  type RefObject,
  type FocusEvent,
  type UIEvent,
} from 'react';
import { useShortcuts } from '../shortcuts/use-shortcuts.js';
import { useLatest } from '../hooks.js';
import { useFixedRows } from '../use-fixed-rows.js';
import { isRowKey, rowAfterKey, type RowKey } from '../row-keys.js';
import type { GridProps } from './grid-props.js';

interface GridFocus {
  /** Index of the row that has or had the focus, -1 before. */
  current: number;
  tabStop(rows: readonly number[]): number;
  onKeyDown(event: KeyboardEvent): void;
  onFocus(index: number): void;
  /** Set by who draws the rows. */
  scrollTo: RefObject<(index: number) => void>;
}

/** The row with the focus. It stays with its row, by the row's key, when rows come in above it. */
export function useGridFocus<Row>(
  props: GridProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
  rowHeight: number,
): GridFocus {
  const { length, rowAt, keyAt, onOpen, onPeek, openKey, selection, listKey, place, ref } = props;
  const [at, setAt] = useState<{ index: number; key: string | null }>({ index: -1, key: place?.key ?? null });
  const wanted = useRef<number | null>(null);
  /** Whether the row that had the focus when the reader left is still to get it back. */
  const returns = useRef(false);
  const hasPlace = useEffectEvent(() => place?.key != null);
  const scrollTo = useRef<(index: number) => void>(() => undefined);
  const current = followKey(at, length, keyAt);

  const onFocus = useCallback((index: number) => setAt({ index, key: keyAt(index) }), [keyAt]);
  const focusRow = (index: number): void => {
    if (index < 0 || index >= length) return;
    wanted.current = index;
    setAt({ index, key: keyAt(index) });
    scrollTo.current(index);
  };
  const [list, setList] = useState(listKey);
  if (list !== listKey) {
    setList(listKey);
    setAt({ index: -1, key: place?.key ?? null });
  }
  useLayoutEffect(() => {
    returns.current = hasPlace();
  }, [list]);
  // The row may have been drawn only now.
  useLayoutEffect(() => {
    if (returns.current && length > 0) {
      returns.current = false;
      if (current >= 0 && keyAt(current) === place?.key && isFocusFree()) wanted.current = current;
    }
    if (wanted.current === null) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (row) {
      wanted.current = null;
      row.focus({ preventScroll: true });
    }
  });
  useImperativeHandle(ref, () => ({ focusRow }));

  const move = (key: RowKey): void => {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    const from = openKey === undefined || onPeek ? current : followKey({ index: current, key: openKey }, length, keyAt);
    const to = rowAfterKey(key, from, length, page);
    focusRow(to);
    const row = openKey === undefined || onPeek || to < 0 ? undefined : rowAt(to);
    if (row !== undefined && to !== from) onOpen(row, true);
  };
  const withRow = (act: (row: Row) => void): void => {
    const row = current < 0 ? undefined : rowAt(current);
    if (row !== undefined) act(row);
  };
  useShortcuts([
    { keys: 'j', label: 'Next row', group: 'Lists', run: () => move('ArrowDown') },
    { keys: 'k', label: 'Previous row', group: 'Lists', run: () => move('ArrowUp') },
    ...(selection
      ? [{ keys: 'x', label: 'Select the row', group: 'Lists', run: () => withRow(selection.toggle) }]
      : []),
  ]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { currentTarget: grid, key } = event;
    const target = event.target as Element;
    const isInHeader = target.closest('[role=columnheader]') !== null;
    if (isInHeader && moveInHeader(grid, target, key)) {
      event.preventDefault();
    } else if (isInHeader && key === 'ArrowDown') {
      event.preventDefault();
      focusRow(Math.max(0, current));
    } else if (key === 'ArrowUp' && current === 0 && !isInHeader && focusHeader(grid)) {
      event.preventDefault();
    } else if (isRowKey(key)) {
      event.preventDefault();
      move(key);
    } else if (event.key === 'Enter' && event.target instanceof Element && event.target.role === 'row') {
      event.preventDefault();
      withRow(onOpen);
    } else if (onPeek && key === ' ' && target.role === 'row') {
      event.preventDefault();
      withRow(() => onPeek(keyAt(current)));
    }
  };
  const tabStop = (rows: readonly number[]): number => (current >= 0 ? current : (rows[0] ?? -1));
  return { current, tabStop, onKeyDown, onFocus, scrollTo };
}

/** Nothing that the reader chose has the focus. */
function isFocusFree(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.matches('h1, main');
}

/** Rows that are looked through around the last place of the one with the focus. */
const SEARCHED = 400;

function followKey(
  at: { index: number; key: string | null },
  length: number,
  keyAt: (index: number) => string,
): number {
  if (at.key === null || length === 0) return Math.min(at.index, length - 1);
  if (at.index >= 0 && at.index < length && keyAt(at.index) === at.key) return at.index;
  const from = at.index < 0 ? 0 : Math.max(0, at.index - SEARCHED);
  const to = at.index < 0 ? length : Math.min(length, at.index + SEARCHED);
  for (let index = from; index < to; index++) if (keyAt(index) === at.key) return index;
  return Math.min(at.index, length - 1);
}

/**
 * Goes between the headers of a grid that sort.
 * @returns whether the key was one of these, and the grid is to leave it alone.
 */
function moveInHeader(grid: Element, target: Element, key: string): boolean {
  const headers = sortButtons(grid);
  const at = headers.indexOf(target as HTMLElement);
  if (at === -1) return false;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false;
  headers[at + (key === 'ArrowLeft' ? -1 : 1)]?.focus();
  return true;
}

/** Leads from the first row to the header by which the list is sorted. @returns whether there is any that sorts. */
function focusHeader(grid: Element): boolean {
  const headers = sortButtons(grid);
  const sorted = headers.find((button) => button.closest('[aria-sort]:not([aria-sort=none])') !== null);
  const header = sorted ?? headers[0];
  header?.focus();
  return header !== undefined;
}

function sortButtons(grid: Element): HTMLElement[] {
  return [...grid.querySelectorAll<HTMLElement>('[role=columnheader] :is(button, input)')];
}

interface GridRows {
  /** Indexes of the rows that are drawn. */
  rows: number[];
  /** Pixels of all rows. */
  size: number;
}

/** The rows that are drawn: those near the screen, and the one with the focus wherever it is. */
export function useGridRows<Row>(
  props: GridProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
  rowHeight: number,
  focus: GridFocus,
): GridRows {
  const { length, keyAt, listKey, place, onPlace, onVisible } = props;
  const { current } = focus;
  const { first, last, reveal } = useFixedRows(scroller, length, rowHeight, rowHeight);
  focus.scrollTo.current = reveal;

  const goToPlace = useEffectEvent(() => {
    if (scroller.current) scroller.current.scrollTop = place?.scrollTop ?? 0;
  });
  useLayoutEffect(() => goToPlace(), [listKey]);

  useEffect(() => {
    // Rows that have just come are drawn a little later.
    const end = Math.min(length, last);
    if (end > first) onVisible?.(first, end - 1);
  }, [onVisible, first, last, length]);

  const key = current >= 0 && current < length ? keyAt(current) : null;
  const report = useLatest(() => onPlace?.({ scrollTop: scroller.current?.scrollTop ?? 0, key }));
  useEffect(() => report(), [report, key]);
  useEffect(() => {
    const element = scroller.current!;
    element.addEventListener('scroll', report, { passive: true });
    return () => element.removeEventListener('scroll', report);
  }, [scroller, report]);

  const rows = Array.from({ length: last - first }, (_, at) => first + at);
  if (current >= 0 && current < first && current < length) rows.unshift(current);
  else if (current >= last && current < length) rows.push(current);
  return { rows, size: length * rowHeight };
}

/** Handlers that note whether the reader is in an element: scrolled down, focused inside, or hovering. */
export function useScrolledOrSelected(onScrolledOrSelected: ((isScrolledOrSelected: boolean) => void) | undefined) {
  const facts = useRef({ isScrolled: false, isFocused: false, isHovered: false });
  return useMemo(() => {
    const note = (change: Partial<typeof facts.current>): void => {
      Object.assign(facts.current, change);
      onScrolledOrSelected?.(Object.values(facts.current).some(Boolean));
    };
    return {
      onScroll: (event: UIEvent) => note({ isScrolled: event.currentTarget.scrollTop > 0 }),
      onFocus: () => note({ isFocused: true }),
      onBlur: (event: FocusEvent) => note({ isFocused: event.currentTarget.contains(event.relatedTarget) }),
      onPointerEnter: () => note({ isHovered: true }),
      onPointerLeave: () => note({ isHovered: false }),
    };
  }, [onScrolledOrSelected]);
}
