import { useQuery } from '@tanstack/react-query';
import { listRuns } from '../../api/evals.js';
import { keys } from '../../api/keys.js';
import { listDatasets } from '../../api/datasets.js';

/** The newest runs of a dataset, from which one is chosen. */
export function useRunsOf(datasetId: string) {
  const query = useQuery({
    queryKey: keys.runsOf(datasetId),
    queryFn: async ({ signal }) => (await listRuns({ dataset_id: datasetId }, null, signal)).rows,
    staleTime: 0,
  });
  return query.data ?? [];
}

/** Datasets there are, and the name of each by its id. */
export function useDatasetNames() {
  const query = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => listDatasets(signal) });
  const nameOf = (id: string): string => query.data?.find((dataset) => dataset.id === id)?.name ?? id;
  return { query, datasets: query.data ?? [], nameOf };
}
