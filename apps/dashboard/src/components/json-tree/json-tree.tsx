import { formatCounted } from '@spandrel/contract/browser';
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { isRowKey, rowAfterKey, stepSideways } from '../row-keys.js';
import { Icon } from '../icon.js';
import { BLOCK, MarkedText, rowsOfBlock } from '../text-view/text-view.js';
import { JSON_KIND, keyOf, type JsonIndex } from './json-index.js';
import { isContainer, isOpen, itemNumbers, nodeAt, visibleNodes, withOpened } from './json-rows.js';
import styles from './json-tree.module.css';

interface JsonTreeProps {
  label: string;
  text: string;
  index: JsonIndex;
  /** Whether long values go on in the next line. */
  wraps: boolean;
  /** Marked wherever it is; `''` for nothing. */
  sought: string;
  /** Offset in the text to bring into view, such as that of a match; -1 for none. */
  shownOffset: number;
  /** Shows the whole of a long text somewhere else. */
  onShowAll(text: string): void;
}

/** Pixels of a line, as the style sheet has it. */
const LINE_HEIGHT = 20;

/** JSON as a tree after the ARIA pattern, of any size: values are cut out of the text when they are shown. */
export function JsonTree({ label, text, index, wraps, sought, shownOffset, onShowAll }: JsonTreeProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlySet<number>>(NOTHING);
  const nodes = useMemo(() => visibleNodes(index, toggled), [index, toggled]);
  const numbers = useMemo(() => itemNumbers(index), [index]);
  const [current, setCurrent] = useState(0);
  const row = Math.min(current, nodes.length - 1);
  const virtualizer = useBlocks(scroller, nodes, row, wraps);
  /** The row that is to be seen, and whether it takes the focus, until it is drawn. */
  const wanted = useRef<{ row: number; isFocused: boolean } | null>(null);

  useEffect(() => {
    if (shownOffset < 0) return;
    setToggled((before) => withOpened(index, before, nodeAt(index, shownOffset)));
  }, [index, shownOffset]);
  useLayoutEffect(() => {
    const at = shownOffset < 0 ? -1 : nodes.indexOf(nodeAt(index, shownOffset));
    if (at === -1) return;
    wanted.current = { row: at, isFocused: false };
    setCurrent(at);
  }, [index, nodes, shownOffset]);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const element = scroller.current?.querySelector<HTMLElement>(`[data-row="${wanted.current.row}"]`);
    if (!element) {
      virtualizer.scrollToIndex(Math.floor(wanted.current.row / BLOCK), { align: 'center' });
      return;
    }
    if (wanted.current.isFocused) element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    wanted.current = null;
  });

  const toggle = (node: number): void => {
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(node)) after.add(node);
      return after;
    });
  };
  const moveTo = (to: number): void => {
    wanted.current = { row: to, isFocused: true };
    setCurrent(to);
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
    const page = Math.max(1, Math.floor(scroller.current!.clientHeight / LINE_HEIGHT));
    if (isRowKey(event.key)) moveTo(rowAfterKey(event.key, row, nodes.length, page));
    else if (step && 'to' in step) moveTo(step.to);
    else if (step) toggle(nodes[step.toggle]!);
    else if (step === undefined) return;
    event.preventDefault();
  };
  return (
    // The rows inside have the focus; this only hears the keys that reach it from them.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div ref={scroller} role="tree" aria-label={label} className={styles.tree} data-wraps={wraps} onKeyDown={press}>
      <div role="presentation" className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((block) => (
          <div
            key={block.key}
            ref={virtualizer.measureElement}
            role="presentation"
            data-index={block.index}
            className={styles.block}
            style={{ transform: `translateY(${block.start}px)` }}
          >
            {rowsOfBlock(block.index, nodes.length).map((at) => (
              <JsonRow
                key={nodes[at]!}
                {...{ text, index, sought, onShowAll }}
                node={nodes[at]!}
                number={numbers[nodes[at]!]!}
                row={at}
                isOpen={isContainer(index, nodes[at]!) ? isOpen(index, toggled, nodes[at]!) : undefined}
                isCurrent={at === row}
                onPress={(node) => {
                  setCurrent(at);
                  if (isContainer(index, node)) toggle(node);
                }}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

const NOTHING: ReadonlySet<number> = new Set();

/** The blocks of rows near the screen, and that of the current row, so that Tab leads to it. */
function useBlocks(
  scroller: { readonly current: HTMLDivElement | null },
  nodes: Int32Array,
  row: number,
  wraps: boolean,
) {
  const current = Math.floor(row / BLOCK);
  return useVirtualizer({
    count: Math.ceil(nodes.length / BLOCK),
    getScrollElement: () => scroller.current,
    estimateSize: (block) => rowsOfBlock(block, nodes.length).length * LINE_HEIGHT,
    // A block that was measured is as high as long as its rows are the same.
    getItemKey: useCallback((block: number) => `${nodes[block * BLOCK]!} ${wraps}`, [nodes, wraps]),
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), current])].toSorted((a, b) => a - b),
      [current],
    ),
    overscan: 1,
  });
}

interface JsonRowProps {
  text: string;
  index: JsonIndex;
  node: number;
  /** The number of an item in its array; -1 for a member of an object. */
  number: number;
  row: number;
  isOpen: boolean | undefined;
  isCurrent: boolean;
  sought: string;
  onPress(node: number): void;
  onShowAll(text: string): void;
}

const SHOWN_MAX = 300;
const DEPTH_MAX = 24;
const KIND_NAMES = ['object', 'array', 'string', 'number', 'word'] as const;

function JsonRow(props: JsonRowProps) {
  const { text, index, node, number, row, isOpen, isCurrent, sought, onPress } = props;
  const key = keyOf(text, index, node);
  const depth = index.depth[node]!;
  return (
    // Keys are handled by the tree, which knows the rows around this one.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isCurrent}
      {...(isOpen !== undefined && { 'aria-expanded': isOpen })}
      data-row={row}
      tabIndex={isCurrent ? 0 : -1}
      className={styles.row}
      style={{ paddingInlineStart: 4 + Math.min(depth, DEPTH_MAX) * 14 }}
      onClick={() => onPress(node)}
    >
      <span className={styles.fold}>
        {isOpen !== undefined && <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />}
      </span>
      {key !== null && (
        <span className={styles.key}>
          <MarkedText text={key} sought={sought} />
        </span>
      )}
      {number >= 0 && <span className={styles.number}>{number}</span>}
      <Value {...props} />
    </div>
  );
}

function Value({ text, index, node, sought, onShowAll }: JsonRowProps) {
  const kind = index.kind[node]!;
  if (kind === JSON_KIND.object || kind === JSON_KIND.array) {
    const size = index.size[node]!;
    const of = kind === JSON_KIND.object ? formatCounted(size, 'member') : formatCounted(size, 'item');
    return <span className={styles.size}>{size === 0 ? (kind === JSON_KIND.object ? '{}' : '[]') : of}</span>;
  }
  const length = index.to[node]! - index.from[node]!;
  const isLong = length > SHOWN_MAX;
  // A long text is not decoded for its beginning: the cut may go through an escape, which is left out then.
  const source = text.slice(index.from[node], index.from[node]! + Math.min(length, SHOWN_MAX));
  const shown = isLong ? `${source.replace(/\\u?[\da-f]{0,3}$/i, '')}…` : source;
  return (
    <>
      <span className={styles.value} data-kind={KIND_NAMES[kind]}>
        <MarkedText text={shown} sought={sought} />
      </span>
      {isLong && kind === JSON_KIND.string && (
        <button
          type="button"
          tabIndex={-1}
          className={styles.all}
          onClick={(event) => {
            event.stopPropagation();
            onShowAll(JSON.parse(text.slice(index.from[node], index.to[node])) as string);
          }}
        >
          Show all
        </button>
      )}
    </>
  );
}
