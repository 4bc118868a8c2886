import type { ScoreSums } from '@spandrel/contract';
import { formatCount, formatScore, NONE, sumText } from '@spandrel/contract/browser';
import styles from './score-list.module.css';

/** What the scores of a row come to, a chip for each name. */
export function ScoreSumsCell({ sums }: { sums: ScoreSums | undefined }) {
  const entries = Object.entries(sums ?? {});
  if (entries.length === 0) return NONE;
  return entries.map(([name, sum]) => (
    <span
      key={name}
      className={styles.chip}
      title={`${name}: ${formatCount(sum.count)} scores, mean ${formatScore(sum.mean)}`}
    >
      <bdi className={styles.name}>{name}</bdi> <bdi className={styles.value}>{sumText(sum)}</bdi>
    </span>
  ));
}
