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

/** The status of a trace, a span, a run or a result. */
export function StatusBadge({ status }: { status: StatusWord }) {
  return <Badge tone={STATUSES[status].tone}>{STATUSES[status].words}</Badge>;
}
