import type { EvalRunResource } from '@spandrel/contract';
import { RunComparison } from '../../features/statistics/run-comparison.js';
import { Terms } from '../../features/statistics/terms.js';
import styles from './compare-page.module.css';

interface ComparedStatisticsProps {
  runs: readonly EvalRunResource[];
  /** Id of the run that the others are compared with. */
  baseline: string;
}

/** Whether each run is better or worse than the baseline, or no difference was shown. */
export function ComparedStatistics({ runs, baseline }: ComparedStatisticsProps) {
  const before = runs.find(({ id }) => id === baseline);
  if (before === undefined || runs.length < 2) return null;
  return (
    <section aria-label="Statistics" className={styles.statistics}>
      <h2>Statistics</h2>
      {runs
        .filter(({ id }) => id !== baseline)
        .map((run) => (
          <RunComparison key={run.id} run={run} baseline={before} />
        ))}
      <Terms />
    </section>
  );
}
