import type { TraceListItem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { notify, notifyError } from '../../components/notify.js';

interface DeleteTracesProps {
  traces: readonly TraceListItem[];
  onDeleted(ids: ReadonlySet<string>): void;
  onClose(): void;
}

/** Asks whether selected traces shall be deleted, and deletes them. */
export function DeleteTraces({ traces, onDeleted, onClose }: DeleteTracesProps) {
  const spans = traces.reduce((sum, { span_count }) => sum + span_count, 0);
  const deletion = useMutation({
    mutationFn: () => deleteOneByOne(traces),
    onSuccess: ({ gone, error }) => {
      onDeleted(gone);
      onClose();
      if (gone.size > 0) notify(`Deleted ${formatCounted(gone.size, 'trace')}`);
      if (error !== null)
        notifyError(`${formatCounted(traces.length - gone.size, 'trace')} could not be deleted`, error);
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${formatCounted(traces.length, 'trace')}?`}
      action="Delete"
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>This deletes {formatCounted(spans, 'span')} with their inputs and outputs. It cannot be undone.</p>
    </ConfirmDialog>
  );
}

async function deleteOneByOne(traces: readonly TraceListItem[]) {
  const gone = new Set<string>();
  for (const { id } of traces) {
    try {
      await api.deleteTrace({ path: { id } });
      gone.add(id);
    } catch (error) {
      return { gone, error: error as Error };
    }
  }
  return { gone, error: null };
}
