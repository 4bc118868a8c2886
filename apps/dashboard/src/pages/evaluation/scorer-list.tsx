import type { EvalItem } from '@spandrel/contract';
import { formatScore } from '@spandrel/contract/browser';
import styles from './samples-list.module.css';

/** What each scorer said: its score, and why. */
export function ScorerList({ scores }: { scores: EvalItem['scores'] }) {
  return (
    <ul aria-label="Scores" className={styles.scores}>
      {Object.entries(scores).map(([name, { score, reason, error, judge_model: judge }]) => (
        <li key={name} dir="auto">
          <strong>
            {name} {formatScore(score)}
          </strong>{' '}
          {judge !== null && `by ${judge}. `}
          {reason}
          {error !== null && <span className={styles.failed}>{error}</span>}
        </li>
      ))}
    </ul>
  );
}
