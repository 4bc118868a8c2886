import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { isRowKey, rowAfterKey } from '../grid/grid-keys.js';
import { useFixedRows } from '../rows/use-fixed-rows.js';
import { stepSideways } from '../tree-grid/tree-keys.js';
import type { JsonIndex } from './json-index.js';
import { JsonRow } from './json-row.js';
import { isContainer, isOpen, itemNumbers, nodeAt, visibleNodes, withOpened } from './json-rows.js';
import styles from './json-tree.module.css';

export interface JsonTreeProps {
  label: string;
  text: string;
  index: JsonIndex;
  /** Marked wherever it is; `''` for nothing. */
  sought: string;
  /** Offset in the text to bring into view, such as that of a match; -1 for none. */
  shownOffset: number;
  /** Shows the whole of a long text somewhere else. */
  onShowAll(text: string): void;
}

/** Pixels of a row, as the style sheet has it. */
const ROW_HEIGHT = 20;

/** JSON as a tree after the ARIA pattern, of any size: values are cut out of the text when they are shown. */
export function JsonTree({ label, text, index, sought, shownOffset, onShowAll }: JsonTreeProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlySet<number>>(NOTHING);
  const nodes = useMemo(() => visibleNodes(index, toggled), [index, toggled]);
  const numbers = useMemo(() => itemNumbers(index), [index]);
  const { first, last, page, reveal } = useFixedRows(scroller, nodes.length, ROW_HEIGHT);
  const [current, setCurrent] = useState(0);
  const wantsFocus = useRef(false);
  const row = Math.min(current, nodes.length - 1);

  useEffect(() => {
    if (shownOffset < 0) return;
    setToggled((before) => withOpened(index, before, nodeAt(index, shownOffset)));
  }, [index, shownOffset]);
  useLayoutEffect(() => {
    const at = shownOffset < 0 ? -1 : nodes.indexOf(nodeAt(index, shownOffset));
    if (at === -1) return;
    setCurrent(at);
    reveal(at);
  }, [index, nodes, reveal, shownOffset]);
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const element = scroller.current?.querySelector<HTMLElement>(`[data-row="${row}"]`);
    if (!element) return;
    wantsFocus.current = false;
    element.focus({ preventScroll: true });
  });

  const toggle = (node: number): void => {
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(node)) after.add(node);
      return after;
    });
  };
  const moveTo = (to: number): void => {
    wantsFocus.current = true;
    setCurrent(to);
    reveal(to);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = {
      length: nodes.length,
      depthAt: (at: number) => index.depth[nodes[at]!]!,
      isOpenAt: (at: number) => (isContainer(index, nodes[at]!) ? isOpen(index, toggled, nodes[at]!) : undefined),
    };
    const step =
      event.key === 'ArrowLeft' || event.key === 'ArrowRight' ? stepSideways(event.key, rows, row) : undefined;
    if (isRowKey(event.key)) moveTo(rowAfterKey(event.key, row, nodes.length, page));
    else if (step && 'to' in step) moveTo(step.to);
    else if (step) toggle(nodes[step.toggle]!);
    else if (step === undefined) return;
    event.preventDefault();
  };
  return (
    // The rows inside have the focus; this only hears the keys that reach it from them.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div ref={scroller} role="tree" aria-label={label} className={styles.tree} onKeyDown={press}>
      <div role="presentation" className={styles.rows} style={{ height: nodes.length * ROW_HEIGHT }}>
        {drawn(first, last, row).map((at) => (
          <JsonRow
            key={nodes[at]!}
            {...{ text, index, sought, onShowAll }}
            node={nodes[at]!}
            number={numbers[nodes[at]!]!}
            row={at}
            offset={at * ROW_HEIGHT}
            isOpen={isContainer(index, nodes[at]!) ? isOpen(index, toggled, nodes[at]!) : undefined}
            isCurrent={at === row}
            onPress={(node) => {
              setCurrent(at);
              if (isContainer(index, node)) toggle(node);
            }}
          />
        ))}
      </div>
    </div>
  );
}

const NOTHING: ReadonlySet<number> = new Set();

/** Rows near the screen, and the one with the focus wherever it is. */
function drawn(first: number, last: number, current: number): number[] {
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  return current >= 0 && (current < first || current >= last) ? [current, ...rows] : rows;
}
