import type { EvalRunSummary } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { formatScore } from '@spandrel/contract/browser';
import { api, listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { formatTime } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';

/** A run without its results. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => api.getEval({ path: { id }, query: { items: 'none' }, signal }),
  });

/** The newest runs of a dataset, from which one is chosen. */
export function useRunsOf(datasetId: string) {
  const query = useQuery({
    queryKey: keys.runsOf(datasetId),
    queryFn: async ({ signal }) =>
      (await listPage<EvalRunSummary>('listEvalRuns', { query: { dataset_id: datasetId }, signal })).rows,
    staleTime: 0,
  });
  return query.data ?? [];
}

/** How a select names runs, many of which have the same name: `nightly, 2026-11-22 14:03:05, score 0.85`. */
export function useRunOption() {
  const { times } = usePreferences();
  return ({ id, name, created_at: at, avg_score: score }: EvalRunSummary) => {
    const scored = score === null ? '' : `, score ${formatScore(score)}`;
    return { value: id, label: `${name}, ${formatTime(Date.parse(at), times)}${scored}` };
  };
}

/** Datasets there are, and the name of each by its id. */
export function useDatasetNames() {
  const query = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => api.listDatasets({ signal }) });
  const nameOf = (id: string): string => query.data?.datasets.find((dataset) => dataset.id === id)?.name ?? id;
  return { query, datasets: query.data?.datasets ?? [], nameOf };
}
