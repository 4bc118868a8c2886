import type { EvalFilter, EvalRunResource, EvalItem, SampleResource } from '@spandrel/contract';
import { formatCount, formatScore, describeInterval, formatCounted } from '@spandrel/contract/browser';
import { formatCost, formatCostExactly, formatDuration } from '../../components/format.js';
import { datasetAddress } from '../../features/addresses.js';
import type { Fact } from '../../features/fact-list.js';
import { hasFailedAltogether, scorersOf } from '../../features/runs/run-rules.js';

/** `Completed` */
export const statusWord = ({ status }: { status: string }): string => status.charAt(0).toUpperCase() + status.slice(1);

/** What became of a run: `All failed` where it was completed in vain. */
export const outcomeOf = (run: EvalRunResource): string => (hasFailedAltogether(run) ? 'All failed' : statusWord(run));

/** What is said of a run above its results. @param datasetName name of the dataset that it worked on. */
export function runFacts(run: EvalRunResource, datasetName: string): Fact[] {
  const { temperature, max_tokens: maxTokens } = run.config;
  return [
    { name: 'Status', value: outcomeOf(run) },
    {
      name: 'Dataset',
      value: `${datasetName}, version ${run.dataset_version}`,
      to: datasetAddress(run.dataset_id),
    },
    ...(run.filter === null ? [] : [{ name: 'Datapoints', value: describeFilter(run.filter) }]),
    ...(run.execution === 'external' ? [{ name: 'Execution', value: 'External: its caller sends the results' }] : []),
    ...(run.config.model === null ? [] : [{ name: 'Model', value: run.config.model }]),
    { name: 'Scoring', value: scorersOf(run) },
    ...(run.repeats === 1 ? [] : [{ name: 'Repeats', value: formatCount(run.repeats) }]),
    { name: 'Score', value: scoreWords(run), exact: String(run.avg_score ?? '') },
    { name: 'Cost', value: formatCost(run.total_cost), exact: formatCostExactly(run.total_cost) },
    ...(run.judge_tokens > 0
      ? [
          { name: 'Cost of calls', value: formatCost(run.call_cost), exact: formatCostExactly(run.call_cost) },
          { name: 'Cost of judges', value: formatCost(run.judge_cost), exact: formatCostExactly(run.judge_cost) },
        ]
      : []),
    ...(run.unpriced_count > 0 ? [{ name: 'Without a price', value: formatCount(run.unpriced_count) }] : []),
    { name: 'Tokens', value: formatCount(run.total_tokens) },
    { name: 'Failed', value: describeFailed(run) },
    ...(run.reused_samples > 0 ? [{ name: 'Answers taken over', value: formatCount(run.reused_samples) }] : []),
    ...(run.retried_samples > 0 ? [{ name: 'Former attempts', value: formatCount(run.retried_samples) }] : []),
    ...durationFact(run),
    ...(temperature === null ? [] : [{ name: 'Temperature', value: String(temperature) }]),
    ...(maxTokens === null ? [] : [{ name: 'Max tokens', value: formatCount(maxTokens) }]),
  ];
}

/** `split = test, sample 20 (seed 0)` */
function describeFilter({ metadata = {}, source, ids, sample, seed = 0, limit }: EvalFilter): string {
  return [
    ...Object.entries(metadata).map(([key, value]) => `${key} = ${value}`),
    ...(source ?? []),
    ...(ids === undefined ? [] : [formatCounted(ids.length, 'id')]),
    ...(sample === undefined ? [] : [`sample ${formatCount(sample)} (seed ${seed})`]),
    ...(limit === undefined ? [] : [`limit ${formatCount(limit)}`]),
  ].join(', ');
}

/** `3`; where datapoints are tried several times `32 of 900 samples`. */
const describeFailed = ({ repeats, failed_samples: failed, sample_total: total }: EvalRunResource): string =>
  repeats === 1 ? formatCount(failed) : `${formatCount(failed)} of ${formatCounted(total, 'sample')}`;

/** `0.7 (95% interval 0.397 to 0.892)` */
const scoreWords = ({ avg_score: score, score_ci: ci }: EvalRunResource): string =>
  ci === null ? formatScore(score) : `${formatScore(score)} (${describeInterval(ci)})`;

function durationFact({ started_at: started, ended_at: ended }: EvalRunResource): Fact[] {
  if (started === null || ended === null) return [];
  return [{ name: 'Took', value: formatDuration(Date.parse(ended) - Date.parse(started)) }];
}

interface Passes {
  passed: number;
  counted: number;
  /** Whether some tries passed and others did not. */
  isFlaky: boolean;
}

/** The passes of an item; `null` where each datapoint is tried once, and before the first score. */
export function passesOf({ samples }: { samples?: readonly Pick<SampleResource, 'passed'>[] | null }): Passes | null {
  const decided = (samples ?? []).flatMap(({ passed }) => passed ?? []);
  if (decided.length === 0) return null;
  const passed = decided.filter((each) => each).length;
  return { passed, counted: decided.length, isFlaky: passed > 0 && passed < decided.length };
}

/** `2 of 3 tries, flaky` */
export function describePasses({ passed, counted, isFlaky }: Passes): string {
  const words = `${formatCount(passed)} of ${formatCounted(counted, 'try', 'tries')}`;
  return isFlaky ? `${words}, flaky` : words;
}

/** An item as a list keeps it: outputs of single tries are read when the item is opened. */
export function withoutOutputs(item: EvalItem): EvalItem {
  if (!item.samples) return item;
  const samples = item.samples.map((sample) => ({ ...sample, output: null, score_reason: null, scores: {} }));
  return { ...item, samples };
}
