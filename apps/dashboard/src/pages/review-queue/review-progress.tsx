import { formatCount } from '@spandrel/contract/browser';
import styles from './review-queue-page.module.css';

/** How many items of a queue there are in each state. */
export interface ReviewCounts {
  pending: number;
  claimed: number;
  completed: number;
}

interface ReviewProgressProps {
  /** `null` until they are known. */
  counts: ReviewCounts | null;
  /** What happened last. */
  said: string;
}

/** `2 of 6 reviewed`, as the server counts, and what was done last. */
export function ReviewProgress({ counts, said }: ReviewProgressProps) {
  const total = counts === null ? 0 : counts.pending + counts.claimed + counts.completed;
  const words = counts === null ? '' : `${formatCount(counts.completed)} of ${formatCount(total)} reviewed`;
  return (
    <div className={styles.progress}>
      <progress aria-label="Reviewed" aria-valuetext={words} value={counts?.completed ?? 0} max={Math.max(1, total)}>
        {words}
      </progress>
      <span>{words}</span>
      <span role="status" aria-label="Review status">
        {said}
      </span>
    </div>
  );
}
