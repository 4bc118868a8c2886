import { useEffect, type ReactNode } from 'react';
import { Button } from './button.js';
import { describeFault } from './notify.js';
import { copyAs } from './save-text.js';
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

/** What a list shows when it has nothing to show. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <section className={styles.empty}>
      <h2>{title}</h2>
      {children}
      {action}
    </section>
  );
}

interface FaultNoticeProps {
  title: string;
  error: Error;
  /** Asks again; left out where that does not help. */
  onRetry?(): void;
}

/** An error in the place of what it kept from being shown. The rest of the page works. */
export function FaultNotice({ title, error, onRetry }: FaultNoticeProps) {
  const { detail, facts } = describeFault(error);
  return (
    <div role="alert" className={styles.notice}>
      <p className={styles.title}>{title}</p>
      <p>{detail}</p>
      {facts !== '' && <p className={styles.facts}>{facts}</p>}
      <div className="row">
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
        <Button onClick={() => void copyAs('the error', [title, detail, facts].filter(Boolean).join('\n'))}>
          Copy
        </Button>
      </div>
    </div>
  );
}

/** The error of a query or a list in the place of its data; nothing where it has none. */
export function QueryFault({ title, query }: { title: string; query: { error: Error | null; refetch(): unknown } }) {
  const { error, refetch } = query;
  return error === null ? null : <FaultNotice title={title} error={error} onRetry={() => void refetch()} />;
}

/** What a list shows whose filters match nothing. @param what its rows: `spans`. */
export function NoMatch({ what, onClear }: { what: string; onClear(): void }) {
  return (
    <EmptyState title={`No ${what} match these filters`} action={<Button onClick={onClear}>Show all {what}</Button>}>
      <p>Remove one of the filters, or clear them all.</p>
    </EmptyState>
  );
}
