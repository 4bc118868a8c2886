import type { ConnectionResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../api/api.js';
import { notifyError } from '../../components/notify.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import type { ShownTest } from './connection-dialog.js';

const NO_FILTERS = {};

/** The list of connections, and what reads it again after a change: no event reports connections. */
export function useConnections() {
  const { list, source } = useFilteredList<ConnectionResource>({
    name: 'connections',
    filters: NO_FILTERS,
    operation: 'listConnections',
    idOf: ({ id }) => id,
  });
  const reread = async (): Promise<void> => {
    try {
      list.restart(await source.first());
    } catch (error) {
      notifyError('The connections could not be reloaded', error as Error);
    }
  };
  return { list, reread };
}

/** The latest test of a connection, and what begins one. */
export function useConnectionTest() {
  const [test, setTest] = useState<ShownTest | null>(null);
  const { mutate } = useMutation({
    mutationFn: (connection: ConnectionResource) => api.testConnection({ path: { id: connection.id } }),
    onMutate: (connection) => setTest({ connection, result: null }),
    onSuccess: (result, connection) =>
      // Another connection may have been tested meanwhile.
      setTest((shown) => (shown?.connection.id === connection.id ? { connection, result } : shown)),
    onError: (error, connection) => {
      setTest((shown) => (shown?.connection.id === connection.id ? null : shown));
      notifyError('The connection could not be tested', error);
    },
  });
  const forget = useCallback((id: string) => setTest((shown) => (shown?.connection.id === id ? null : shown)), []);
  return { test, begin: mutate, forget };
}
