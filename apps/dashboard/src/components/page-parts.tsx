import { useEffect, type ReactNode } from 'react';
import { Button } from './button.js';
import styles from './page-parts.module.css';

/** The one h1 of a page, which is also its title: `Traces · Spandrel`. @param children buttons of the page beside it. */
export function PageHeading({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Spandrel`;
  }, [title]);
  return (
    <div className={styles.heading}>
      {/* The focus comes here when the page was opened by something that is gone. */}
      <h1 tabIndex={-1} dir="auto">
        {title}
      </h1>
      {children}
    </div>
  );
}

interface EmptyStateProps {
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

interface FaultNoticeProps {
  /** What could not be done: `Traces could not be loaded`. */
  title: string;
  error: Error;
  /** Asks again; left out where that does not help. */
  onRetry?(): void;
}

/** An error in the place of what it kept from being shown. The rest of the page works. */
export function FaultNotice({ title, error, onRetry }: FaultNoticeProps) {
  return (
    <div role="alert" className={styles.notice}>
      <p className={styles.title}>{title}</p>
      <p>{error.message}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
