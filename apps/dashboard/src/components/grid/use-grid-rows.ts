import { defaultRangeExtractor, useVirtualizer, type Range, type VirtualItem } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { GridProps } from './grid-props.js';
import type { GridFocus } from './use-grid-focus.js';

/** Rows drawn beyond both edges of the screen. */
const OVERSCAN = 8;

export interface GridRows {
  items: VirtualItem[];
  /** Pixels of all rows. */
  size: number;
  headerHeight: number;
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
  const rangeExtractor = useCallback(
    (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      if (current < 0 || current >= range.count || indexes.includes(current)) return indexes;
      return current < (indexes[0] ?? 0) ? [current, ...indexes] : [...indexes, current];
    },
    [current],
  );
  const virtualizer = useVirtualizer({
    count: length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyAt,
    overscan: OVERSCAN,
    rangeExtractor,
    initialOffset: place?.scrollTop ?? 0,
    scrollMargin: rowHeight,
    scrollPaddingStart: rowHeight,
  });
  focus.scrollTo.current = (index) => virtualizer.scrollToIndex(index, { align: 'auto' });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);

  const latestPlace = useRef(place);
  const isFirstList = useRef(true);
  useLayoutEffect(() => {
    latestPlace.current = place;
  });
  useLayoutEffect(() => {
    if (!isFirstList.current) virtualizer.scrollToOffset(latestPlace.current?.scrollTop ?? 0);
    isFirstList.current = false;
  }, [virtualizer, listKey, latestPlace]);

  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (length > 0) onVisible?.(Math.max(0, first - OVERSCAN), Math.min(length - 1, last + OVERSCAN));
  }, [onVisible, first, last, length]);

  const scrollTop = virtualizer.scrollOffset ?? 0;
  const key = current >= 0 && current < length ? keyAt(current) : null;
  useEffect(() => onPlace?.({ scrollTop, key }), [onPlace, scrollTop, key]);

  return { items: virtualizer.getVirtualItems(), size: virtualizer.getTotalSize(), headerHeight: rowHeight };
}
