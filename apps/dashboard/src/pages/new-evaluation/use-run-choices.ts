import { useQuery } from '@tanstack/react-query';
import { listConnections, testConnection } from '../../api/connections.js';
import { keys } from '../../api/keys.js';
import { useCapabilities } from '../../features/payload/use-capabilities.js';
import { useDatasetNames } from '../../features/runs/use-dataset-names.js';

/** A list of models may be asked for so often, in milliseconds: the provider answers it. */
const MODELS_STALE_MS = 300_000;

/** What a run can be made of. @param connectionId the one whose models are listed; `''` for none. */
export function useRunChoices(connectionId: string) {
  const { query: datasetQuery, datasets } = useDatasetNames();
  const connections = useQuery({
    queryKey: keys.connections(),
    queryFn: async ({ signal }) => (await listConnections(null, signal)).rows,
    // The page Connections changes them under keys of its own.
    staleTime: 0,
  });
  const test = useQuery({
    queryKey: keys.connectionTest(connectionId),
    queryFn: ({ signal }) => testConnection(connectionId, signal),
    enabled: connectionId !== '',
    staleTime: MODELS_STALE_MS,
  });
  const capabilities = useCapabilities();
  return {
    datasets,
    connections: connections.data ?? [],
    models: test.data?.models ?? [],
    /** Why the models of the connection are not known. */
    modelFault: test.data?.error ?? null,
    scorers: capabilities?.scorers ?? [],
    error: datasetQuery.error ?? connections.error,
    isReady: datasetQuery.isSuccess && connections.isSuccess && capabilities !== undefined,
  };
}
