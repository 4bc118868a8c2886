import type { EvalRunResource, EvalStatistics } from '@spandrel/contract';
import { formatCount, formatScore } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { FaultNotice, QueryFault } from '../../components/page-parts.js';
import { formatCost, formatCostExactly, formatDuration } from '../../components/format.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { RunField, runQuery } from '../../features/runs/run-queries.js';
import { DivisionFields, type Division } from '../../features/statistics/division-fields.js';
import {
  GroupTable,
  PassTable,
  RunComparison,
  ScoreTable,
  useStatistics,
} from '../../features/statistics/statistics-tables.js';
import { Terms } from '../../features/statistics/terms.js';
import styles from './run-page.module.css';

interface RunStatisticsProps {
  run: EvalRunResource;
  search: Division & { baseline?: string };
  /** @param value `''` for none. */
  onChange(member: 'baseline' | keyof Division, value: string): void;
}

/** What the scores of a run come to, how sure that is, and whether it is better than a baseline. */
export function RunStatistics({ run, search, onChange }: RunStatisticsProps) {
  const query = useStatistics(run, undefined, search);
  const { data } = query;
  const { baseline } = search;
  if (run.sample_progress === 0) return null;
  return (
    <section aria-label="Statistics" className={styles.section}>
      <h2>Statistics</h2>
      <QueryFault title="The statistics could not be loaded" query={query} />
      {data && (
        <>
          <ScoreTable run={run} statistics={data} />
          <PassTable run={run} statistics={data} />
          <FactList label="Statistics facts" facts={statisticsFacts(data)} />
          {baseline === undefined && <GroupTable statistics={data} run={run.name} />}
        </>
      )}
      <DivisionFields runId={run.id} division={search} className={styles.baseline} onChange={onChange} />
      <RunField
        className={styles.baseline}
        label="Compare with"
        none="No baseline"
        datasetId={run.dataset_id}
        without={[run.id]}
        value={baseline ?? ''}
        onChange={(id) => onChange('baseline', id)}
      />
      {baseline !== undefined && <AgainstBaseline run={run} baseline={baseline} division={search} />}
      <Terms />
    </section>
  );
}

function AgainstBaseline({ run, baseline, division }: { run: EvalRunResource; baseline: string; division: Division }) {
  const { data, error } = useQuery(runQuery(baseline));
  if (error) return <FaultNotice title="The baseline could not be loaded" error={error} />;
  return data ? <RunComparison run={run} baseline={data} division={division} /> : null;
}

function statisticsFacts({ pass_score: passScore, latency_ms: latency, cost, ...counts }: EvalStatistics): Fact[] {
  const { failed_samples: failed, pending_samples: pending } = counts;
  return [
    { name: 'Pass score', value: formatScore(passScore) },
    { name: 'Median latency', value: formatDuration(latency.p50) },
    { name: '95th percentile', value: formatDuration(latency.p95) },
    { name: 'Cost of a sample', value: formatCost(cost.mean), exact: formatCostExactly(cost.mean) },
    ...(failed > 0 ? [{ name: 'Failed samples left out', value: formatCount(failed) }] : []),
    ...(pending > 0 ? [{ name: 'Samples to come', value: formatCount(pending) }] : []),
  ];
}
