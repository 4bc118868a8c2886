import type { DatapointKind, DatapointResource } from '@spandrel/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '../../api/api-error.js';
import { createDatapoint, updateDatapoint } from '../../api/datapoints.js';
import { keys } from '../../api/keys.js';
import type { LineFault } from '../../components/json-editor/create-json-view.js';
import { notify } from '../../components/notifications/notify.js';
import { datapointAddress } from '../../features/dataset-link.js';
import { lineOfPath, pathOfFault } from './json-place.js';

/**
 * Saves a datapoint; a new one is shown at its own address then.
 * @param datapoint `null` for a new one.
 */
export function useSaveDatapoint(datasetId: string, datapoint: DatapointResource | null, onSaved: () => void) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (kind: DatapointKind) =>
      datapoint === null ? createDatapoint(datasetId, kind) : updateDatapoint(datasetId, datapoint.id, kind),
    onSuccess: (after) => {
      queryClient.setQueryData(keys.datapoint(datasetId, after.id), after);
      void queryClient.invalidateQueries({ queryKey: keys.dataset(datasetId), exact: true });
      onSaved();
      notify(datapoint === null ? 'Added a datapoint' : 'Saved the datapoint');
      if (datapoint !== null) return;
      const to = datapointAddress(datasetId, after.id);
      void navigate({ to, search: true, replace: true, ignoreBlocker: true } as never);
    },
  });
}

/** The faults that the server found, at their lines. */
export function faultsOfAnswer(error: Error | null, text: string): LineFault[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors.map(({ path, message }) => {
    const steps = pathOfFault(path);
    const words = steps.length === 0 ? message : `${String(steps.at(-1))} ${message}`;
    return { line: lineOfPath(text, steps), message: words };
  });
}
