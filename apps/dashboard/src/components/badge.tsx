import type { ReactNode } from 'react';
import styles from './badge.module.css';

type BadgeTone = 'ok' | 'failed' | 'running' | 'plain';

/** A word with a mark of its tone: the word carries the meaning, shape and colour of the mark repeat it. */
export function Badge({ tone = 'plain', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {tone !== 'plain' && <span className={styles.mark} aria-hidden="true" />}
      {children}
    </span>
  );
}

const STATUSES = {
  running: { tone: 'running', words: 'Running' },
  completed: { tone: 'ok', words: 'Completed' },
  failed: { tone: 'failed', words: 'Failed' },
  pending: { tone: 'plain', words: 'Pending' },
  cancelled: { tone: 'plain', words: 'Cancelled' },
} as const;

export type StatusWord = keyof typeof STATUSES;

/** The status of a result: one whose output could not be scored says so. */
export function ResultBadge({ status, output }: { status: StatusWord; output: string | null }) {
  return isUnscored({ status, output }) ? <Badge tone="failed">{NOT_SCORED}</Badge> : <StatusBadge status={status} />;
}

/** Whether the model answered, and its answer could not be scored. */
export const isUnscored = ({ status, output }: { status: string; output: string | null }): boolean =>
  status === 'failed' && output !== null;

export const NOT_SCORED = 'Not scored';

/** The status of a trace, a span, a run or a result. */
export function StatusBadge({ status }: { status: StatusWord }) {
  return <Badge tone={STATUSES[status].tone}>{STATUSES[status].words}</Badge>;
}
