import { Button } from './button.js';
import styles from './fault-notice.module.css';

export interface FaultNoticeProps {
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
