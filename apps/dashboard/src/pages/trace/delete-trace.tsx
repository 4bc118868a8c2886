import type { TraceListItem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { keys } from '../../api/keys.js';
import { deleteTrace } from '../../api/traces.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify, notifyError } from '../../components/notifications/notify.js';

/** Asks whether the trace shall be deleted, deletes it, and leads back to the list. */
export function DeleteTrace({ trace, onClose }: { trace: TraceListItem; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const deletion = useMutation({
    mutationFn: () => deleteTrace(trace.id),
    onSuccess: async ({ spans_deleted: spans }) => {
      notify(`Deleted the trace with ${formatCounted(spans, 'span')}`);
      void queryClient.invalidateQueries({ queryKey: keys.traces() });
      // The page goes first: it would fetch again what is removed under it.
      await navigate({ to: '/traces' });
      queryClient.removeQueries({ queryKey: keys.trace(trace.id) });
    },
    onError: (error) => {
      onClose();
      notifyError('The trace could not be deleted', error);
    },
  });
  return (
    <ConfirmDialog
      title="Delete trace?"
      action="Delete"
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>{formatCounted(trace.span_count, 'span')} with their inputs and outputs go with it. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
