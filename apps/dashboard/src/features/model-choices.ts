import type { ConnectionResource } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { api, listPage } from '../api/api.js';
import { keys } from '../api/keys.js';
import { useCapabilities } from './browser-session.js';

/** A list of models may be asked for so often, in milliseconds: the provider answers it. */
const MODELS_STALE_MS = 300_000;

/** What may be asked and what may score. @param connectionId the one whose models are listed; `''` for none. */
export function useModelChoices(connectionId: string) {
  const connections = useQuery({
    queryKey: keys.connections(),
    queryFn: async ({ signal }) => (await listPage<ConnectionResource>('listConnections', { signal })).rows,
    // The page Connections changes them under keys of its own.
    staleTime: 0,
  });
  const test = useQuery({
    queryKey: keys.connectionTest(connectionId),
    queryFn: ({ signal }) => api.testConnection({ path: { id: connectionId }, signal }),
    enabled: connectionId !== '',
    staleTime: MODELS_STALE_MS,
  });
  const capabilities = useCapabilities();
  return {
    connections: connections.data ?? [],
    models: test.data?.models ?? [],
    /** Why the models of the connection are not known. */
    modelFault: test.data?.error ?? null,
    scorers: capabilities?.scorers ?? [],
    /** Why there is nothing to choose from; what was read before stays where it could not be read again. */
    error: connections.data === undefined ? connections.error : null,
    isReady: connections.data !== undefined && capabilities !== undefined,
  };
}
