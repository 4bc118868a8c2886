import type { AlertResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { ConfirmAction } from '../dialogs.js';
import { ALERTS } from './alerts.js';

interface DeleteAlertProps {
  alert: AlertResource;
  /** Called once the alert is gone, before the others are read again. */
  onDeleted?(): void;
  onClose(): void;
}

/** Asks whether an alert is to be deleted, and deletes it. */
export function DeleteAlert({ alert: { id, name }, onDeleted, onClose }: DeleteAlertProps) {
  const client = useQueryClient();
  return (
    <ConfirmAction
      title="Delete alert?"
      action="Delete"
      act={() => api.deleteAlert({ path: { id } })}
      onDone={() => {
        onDeleted?.();
        // The page of the alert may still be there: the alert itself is not asked for again.
        void client.invalidateQueries({ queryKey: ALERTS.queryKey, exact: true });
      }}
      done={`Deleted the alert ${name}`}
      failed="The alert could not be deleted"
      onClose={onClose}
    >
      <p>
        The alert <bdi>{name}</bdi> is deleted with its history and its deliveries.
      </p>
    </ConfirmAction>
  );
}
