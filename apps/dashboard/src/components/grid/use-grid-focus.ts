import {
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import type { VirtualItem } from '@tanstack/react-virtual';
import { useShortcuts } from '../shortcuts/use-shortcuts.js';
import { focusHeader, moveInHeader } from './header-keys.js';
import { isRowKey, rowAfterKey, type RowKey } from './grid-keys.js';
import type { GridProps } from './grid-props.js';

export interface GridFocus {
  /** Index of the row that has or had the focus, -1 before. */
  current: number;
  /** Index of the row that Tab leads to. */
  tabStop(items: readonly VirtualItem[]): number;
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
  const { length, rowAt, keyAt, onOpen, selection, listKey, place, ref } = props;
  const [at, setAt] = useState<{ index: number; key: string | null }>({ index: -1, key: place?.key ?? null });
  const wanted = useRef<number | null>(null);
  /** Whether the row that had the focus when the reader left is still to get it back. */
  const returns = useRef(false);
  const latestPlace = useRef(place);
  useLayoutEffect(() => {
    latestPlace.current = place;
  });
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
    returns.current = latestPlace.current?.key != null;
  }, [list, latestPlace]);
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
    focusRow(rowAfterKey(key, current, length, page));
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
    }
  };
  const tabStop = (items: readonly VirtualItem[]): number => (current >= 0 ? current : (items[0]?.index ?? -1));
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
