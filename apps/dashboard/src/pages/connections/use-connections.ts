import type { ConnectionResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../api/api.js';
import { notifyError } from '../../components/notify.js';
import type { ShownTest } from './connection-dialog.js';

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
