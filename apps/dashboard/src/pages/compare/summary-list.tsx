import type { ComparedItemList } from '@spandrel/contract';
import { formatCount, formatDifference } from '@spandrel/contract/browser';
import styles from './compare-page.module.css';

/** What became of the scores: `4 regressed`, `1 improved`, `1 unchanged`. */
export function SummaryList({ summary }: { summary: ComparedItemList['summary'] }) {
  const { regressed, improved, unchanged, incomparable, mean_delta: mean } = summary;
  return (
    <ul aria-label="Summary" className={styles.summary}>
      <li>{formatCount(regressed)} regressed</li>
      <li>{formatCount(improved)} improved</li>
      <li>{formatCount(unchanged)} unchanged</li>
      {incomparable > 0 && <li>{formatCount(incomparable)} not comparable</li>}
      {mean !== null && <li>{formatDifference(mean)} on average</li>}
    </ul>
  );
}
