import type { DatapointPreview } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteDatapoints } from '../../api/datapoints.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { SelectionToolbar } from '../../features/list-page/selection-toolbar.js';
import { SendToReview } from '../../features/send-to-review.js';

export interface SelectedDatapointsProps {
  datasetId: string;
  datapoints: readonly DatapointPreview[];
  onClear(): void;
  /** @param ids datapoints that are gone. */
  onDeleted(ids: ReadonlySet<string>): void;
}

/** The toolbar of selected datapoints. */
export function SelectedDatapoints({ datasetId, datapoints, onClear, onDeleted }: SelectedDatapointsProps) {
  const ids = datapoints.map(({ id }) => id);
  const [isDeleting, setIsDeleting] = useState(false);
  const deletion = useMutation({
    mutationFn: () => deleteDatapoints(datasetId, ids),
    onSuccess: (count) => {
      onDeleted(new Set(ids));
      onClear();
      notify(`Deleted ${formatCounted(count, 'datapoint')}`);
    },
    onError: (error) => notifyError('The datapoints could not be deleted', error),
    onSettled: () => setIsDeleting(false),
  });
  return (
    <>
      <SelectionToolbar count={ids.length} onClear={onClear}>
        <SendToReview {...{ datasetId, ids }} onSent={onClear} />
        <Button writes variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
          Delete
        </Button>
      </SelectionToolbar>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${formatCounted(ids.length, 'datapoint')}?`}
          action="Delete"
          isBusy={deletion.isPending}
          onConfirm={() => deletion.mutate()}
          onClose={() => setIsDeleting(false)}
        >
          <p>
            What waits of {ids.length === 1 ? 'it' : 'them'} in the review queue goes with{' '}
            {ids.length === 1 ? 'it' : 'them'}; results of runs stay. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
