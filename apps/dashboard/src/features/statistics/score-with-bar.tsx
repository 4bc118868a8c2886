import { formatScore, describeInterval, type Bounds } from '@spandrel/contract/browser';
import { ErrorBar } from './error-bar.js';
import styles from './error-bar.module.css';

/** A mean score with its error bar from 0 to 1, as a row of a list has it; the interval is read out, and there on hover. */
export function ScoreWithBar({ score, ci }: { score: number | null; ci: Bounds | null }) {
  if (score === null) return <>{formatScore(score)}</>;
  return (
    <span className={styles.with} {...(ci !== null && { title: describeInterval(ci) })}>
      <span className={styles.number}>{formatScore(score)}</span>
      {ci !== null && <span className="visually-hidden">, {describeInterval(ci)}</span>}
      <ErrorBar value={score} ci={ci} />
    </span>
  );
}
