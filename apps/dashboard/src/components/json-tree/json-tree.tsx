import { formatCounted } from '@spandrel/contract/browser';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { isRowKey, rowAfterKey, stepSideways } from '../row-keys.js';
import { useFixedRows } from '../use-fixed-rows.js';
import { Icon } from '../icon.js';
import { MarkedText } from '../text-view/text-view.js';
import { JSON_KIND, keyOf, type JsonIndex } from './json-index.js';
import { isContainer, isOpen, itemNumbers, nodeAt, visibleNodes, withOpened } from './json-rows.js';
import styles from './json-tree.module.css';

interface JsonTreeProps {
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

function drawn(first: number, last: number, current: number): number[] {
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  return current >= 0 && (current < first || current >= last) ? [current, ...rows] : rows;
}

interface JsonRowProps {
  text: string;
  index: JsonIndex;
  node: number;
  /** The number of an item in its array; -1 for a member of an object. */
  number: number;
  row: number;
  offset: number;
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
  const { text, index, node, number, row, offset, isOpen, isCurrent, sought, onPress } = props;
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
      style={{ transform: `translateY(${offset}px)`, paddingInlineStart: 4 + Math.min(depth, DEPTH_MAX) * 14 }}
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
