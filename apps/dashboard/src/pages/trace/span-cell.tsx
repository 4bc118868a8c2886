import { formatCounted } from '@spandrel/contract/browser';
import { Icon } from '../../components/icon.js';
import { MarkedText } from '../../components/text-view/marked-text.js';
import { kindColour } from '../../features/spans/kind-colour.js';
import type { SpanTree } from './span-tree.js';
import { modelOf, statusWordOf } from '../../features/spans/trace-span.js';
import styles from './span-grid.module.css';

interface SpanCellProps {
  tree: SpanTree;
  place: number;
  isOpen: boolean | undefined;
  find: string;
  onToggle(place: number): void;
}

/** Deeper spans are not indented further: their depth is told in a number. */
const INDENTED_MAX = 20;
const STEP = 14;

/** The name of a span with what it is, indented by its depth. */
export function SpanCell({ tree, place, isOpen, find, onToggle }: SpanCellProps) {
  const span = tree.spans[place]!;
  const depth = tree.depth[place]!;
  const status = statusWordOf(span);
  const model = modelOf(span);
  const below = tree.end[place]! - place - 1;
  return (
    <span className={styles.span} style={{ paddingInlineStart: Math.min(depth, INDENTED_MAX) * STEP }}>
      {depth > INDENTED_MAX && <span className={styles.depth}>{depth}</span>}
      {isOpen === undefined ? (
        <span className={styles.leaf} />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className={styles.fold}
          aria-label={isOpen ? 'Fold' : 'Open'}
          onClick={() => onToggle(place)}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />
        </button>
      )}
      <span className={styles.kind} style={{ background: `var(${kindColour(span.kind.type)})` }} aria-hidden="true" />
      {status !== 'completed' && (
        <span className={styles.status} data-status={status}>
          {status === 'failed' ? <Icon name="error" size={12} /> : <span className={styles.running} />}
          <span className="visually-hidden">{status}</span>
        </span>
      )}
      <span className={styles.name} dir="auto">
        <MarkedText text={span.name} sought={find} />
      </span>
      <span className={styles.more}>
        {model !== null && model !== span.name ? <MarkedText text={model} sought={find} /> : span.kind.type}
        {isOpen === false && ` · ${formatCounted(below, 'span')} below`}
      </span>
    </span>
  );
}
