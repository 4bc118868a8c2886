import type { EvalRunResource } from '@spandrel/contract';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatCount } from '../../components/format/format-count.js';
import type { Fact } from '../../features/facts/fact.js';
import { formatScore } from '../../features/runs/format-score.js';

/** What is said of a run above its results. @param datasetName of the dataset that it worked on. */
export function runFacts(run: EvalRunResource, datasetName: string): Fact[] {
  const { temperature, max_tokens: maxTokens } = run.config;
  return [
    { name: 'Status', value: run.status.charAt(0).toUpperCase() + run.status.slice(1) },
    { name: 'Dataset', value: `${datasetName}, version ${run.dataset_version}` },
    { name: 'Model', value: run.config.model },
    { name: 'Scoring', value: run.scoring },
    { name: 'Score', value: formatScore(run.avg_score) },
    { name: 'Cost', value: formatCost(run.total_cost), exact: formatCostExactly(run.total_cost) },
    { name: 'Tokens', value: formatCount(run.total_tokens) },
    { name: 'Failed', value: formatCount(run.failed_count) },
    ...(run.judge_tokens > 0 ? [{ name: 'Judge cost', value: formatCost(run.judge_cost) }] : []),
    ...(temperature === null ? [] : [{ name: 'Temperature', value: String(temperature) }]),
    ...(maxTokens === null ? [] : [{ name: 'Max tokens', value: formatCount(maxTokens) }]),
  ];
}
