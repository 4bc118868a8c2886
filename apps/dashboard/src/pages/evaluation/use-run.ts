import type { EvalItem, EvalFilter, EvalRunResource } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { formatCount, formatScore, describeInterval, formatCounted, shownScore } from '@spandrel/contract/browser';
import { listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { useLiveQueries } from '../../features/list/use-live-queries.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { runQuery } from '../../features/runs/run-queries.js';
import { isOfRun, triesQuery, withoutOutputs, hasFailedAltogether, scorersOf } from '../../features/runs/tries.js';
import { useOpenedRow } from '../../features/runs/opened-row.js';
import { resultsQuery, type RunSearch } from './run-search.js';
import { capitalized, formatCost, formatCostExactly, formatDuration } from '../../components/format.js';
import { datasetAddress } from '../../features/addresses.js';
import type { Fact } from '../../features/fact-list.js';

/** Run and results are asked for this far apart while the run goes on. */
const BETWEEN_MS = 2_500;

/** A run with its results, as they come in. */
export function useRun(id: string, search: RunSearch) {
  const client = useQueryClient();
  const query = useQuery(runQuery(id));
  const filters = resultsQuery(search);
  const name = `results of ${id}`;
  const { list, shownKey } = useFilteredList<EvalItem>({
    name,
    filters,
    operation: 'listEvalItems',
    fetch: async (asked, cursor, signal) => {
      const { repeats } = await client.ensureQueryData(runQuery(id));
      const query = { ...asked, ...triesQuery(repeats) };
      const page = await listPage<EvalItem>('listEvalItems', { path: { id }, query, cursor, signal });
      return { ...page, rows: page.rows.map(withoutOutputs) };
    },
    idOf: ({ datapoint_id: datapoint }) => datapoint,
  });
  // The pages on screen are read again in their places.
  useLiveQueries([{ queryKey: keys.run(id) }, { queryKey: [name, 'page'] }], BETWEEN_MS, (event) => isOfRun(event, id));
  const opened = useOpenedRow<EvalItem>({
    ...{ list, item: search.item, key: [name, 'page', 'item'] },
    read: (datapointId, signal) => readRunItem(id, datapointId, signal),
  });
  return { query, list, shownKey, opened };
}

async function readRunItem(id: string, datapoint_id: string, signal: AbortSignal): Promise<EvalItem | null> {
  const query = { datapoint_id, include: 'samples' };
  return (await listPage<EvalItem>('listEvalItems', { path: { id }, query, signal })).rows[0] ?? null;
}

/** The samples of a result with their outputs; `null` where each datapoint is tried once. */
export function useSamples(runId: string, { datapoint_id: id, samples }: EvalItem) {
  const query = useQuery({
    queryKey: [`results of ${runId}`, 'page', 'samples', id],
    queryFn: ({ signal }) => readRunItem(runId, id, signal),
    enabled: samples !== null && samples !== undefined,
  });
  return query.data?.samples ?? null;
}

export const statusWord = ({ status }: { status: string }): string => capitalized(status);

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
    { name: 'Score', value: scoreWords(run), exact: String(shownScore(run).mean ?? '') },
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
    ...(run.retried_cost === null ? [] : [{ name: 'Their cost', value: formatCost(run.retried_cost) }]),
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
function scoreWords(run: EvalRunResource): string {
  const { mean, ci } = shownScore(run);
  return ci === null ? formatScore(mean) : `${formatScore(mean)} (${describeInterval(ci)})`;
}

function durationFact({ started_at: started, ended_at: ended }: EvalRunResource): Fact[] {
  if (started === null || ended === null) return [];
  return [{ name: 'Took', value: formatDuration(Date.parse(ended) - Date.parse(started)) }];
}
