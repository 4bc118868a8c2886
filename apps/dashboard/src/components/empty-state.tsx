import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

export interface EmptyStateProps {
  title: string;
  /** Why nothing is here, and what would be. */
  children?: ReactNode;
  /** The one next step. */
  action?: ReactNode;
}

/** What a list shows when it has nothing to show. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <section className={styles.empty}>
      <h2>{title}</h2>
      {children}
      {action}
    </section>
  );
}
