import { useQuery } from '@tanstack/react-query';
import { listRuns } from '../../api/evals.js';
import { keys } from '../../api/keys.js';

/** The newest runs of a dataset, from which one is chosen. */
export function useRunsOf(datasetId: string) {
  const query = useQuery({
    queryKey: keys.runsOf(datasetId),
    queryFn: async ({ signal }) => (await listRuns({ dataset_id: datasetId }, null, signal)).rows,
    staleTime: 0,
  });
  return query.data ?? [];
}
