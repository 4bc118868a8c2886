import { useImperativeHandle, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import { isRowKey, rowAfterKey, type RowKey } from '../grid/grid-keys.js';
import type { FixedRows } from '../rows/use-fixed-rows.js';
import { useShortcuts } from '../shortcuts/use-shortcuts.js';
import { stepSideways, type TreeRows } from './tree-keys.js';
import type { TreeGridProps } from './tree-grid-props.js';

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
