import type { ConnectionResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { deleteConnection } from '../../api/connections.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify, notifyError } from '../../components/notifications/notify.js';

interface DeleteConnectionProps {
  connection: ConnectionResource;
  onDeleted(): void;
  onClose(): void;
}

/** Asks whether a connection shall be deleted, and deletes it. */
export function DeleteConnection({ connection, onDeleted, onClose }: DeleteConnectionProps) {
  const deletion = useMutation({
    mutationFn: () => deleteConnection(connection.id),
    onSuccess: () => {
      onClose();
      onDeleted();
      notify(`Deleted the connection ${connection.name}`);
    },
    onError: (error) => {
      onClose();
      notifyError('The connection could not be deleted', error);
    },
  });
  return (
    <ConfirmDialog
      title="Delete connection?"
      action="Delete"
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>
        The connection <bdi>{connection.name}</bdi> and its stored key are deleted, and the key cannot be read back.
        Runs that used it keep their results.
      </p>
    </ConfirmDialog>
  );
}
