import type { EvalRunSummary } from '@spandrel/contract';
import { FaultNotice } from '../../components/fault-notice.js';
import { ComparisonTable } from './comparison-table.js';
import { useStatistics } from './use-statistics.js';

interface RunComparisonProps {
  run: EvalRunSummary;
  baseline: Pick<EvalRunSummary, 'id' | 'name'>;
}

/** A run beside its baseline, by the datapoints that both have: nothing before the run has a result. */
export function RunComparison({ run, baseline }: RunComparisonProps) {
  const { data, error, refetch } = useStatistics(run, baseline.id);
  if (error) {
    return <FaultNotice title="The statistics could not be loaded" error={error} onRetry={() => void refetch()} />;
  }
  const comparison = data?.comparison;
  // What is shown while another baseline is awaited may be of the one before.
  if (comparison?.baseline_run_id !== baseline.id) return null;
  return <ComparisonTable comparison={comparison} run={run.name} baseline={baseline.name} />;
}
