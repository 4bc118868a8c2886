import { useQuery } from '@tanstack/react-query';
import { listDatasets } from '../../api/datasets.js';
import { keys } from '../../api/keys.js';

/** Datasets there are, and the name of each by its id. */
export function useDatasetNames() {
  const query = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => listDatasets(signal) });
  const nameOf = (id: string): string => query.data?.find((dataset) => dataset.id === id)?.name ?? id;
  return { query, datasets: query.data ?? [], nameOf };
}
