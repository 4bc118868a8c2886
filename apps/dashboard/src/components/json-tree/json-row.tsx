import { formatCounted } from '@spandrel/contract/browser';
import { Icon } from '../icon.js';
import { MarkedText } from '../text-view/marked-text.js';
import { JSON_KIND, keyOf, type JsonIndex } from './json-index.js';
import styles from './json-tree.module.css';

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

/** Characters of a value in its row. */
const SHOWN_MAX = 300;
const DEPTH_MAX = 24;
const KIND_NAMES = ['object', 'array', 'string', 'number', 'word'] as const;

/** One value of a JSON tree, with its name. */
export function JsonRow(props: JsonRowProps) {
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
