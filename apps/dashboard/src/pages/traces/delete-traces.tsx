import type { TraceListItem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { api } from '../../api/api.js';
import { notifyError } from '../../components/notify.js';
import { ConfirmAction } from '../../features/dialogs.js';

interface DeleteTracesProps {
  traces: readonly TraceListItem[];
  onDeleted(ids: ReadonlySet<string>): void;
  onClose(): void;
}

/** Asks whether selected traces shall be deleted, and deletes them. */
export function DeleteTraces({ traces, onDeleted, onClose }: DeleteTracesProps) {
  const spans = traces.reduce((sum, { span_count }) => sum + span_count, 0);
  const failed = (count: number): string => `${formatCounted(count, 'trace')} could not be deleted`;
  return (
    <ConfirmAction
      title={`Delete ${formatCounted(traces.length, 'trace')}?`}
      action="Delete"
      act={() => deleteOneByOne(traces)}
      onDone={({ gone, error }) => {
        onDeleted(gone);
        if (error !== null) notifyError(failed(traces.length - gone.size), error);
      }}
      done={({ gone }) => `Deleted ${formatCounted(gone.size, 'trace')}`}
      failed={failed(traces.length)}
      onClose={onClose}
    >
      <p>This deletes {formatCounted(spans, 'span')} with their inputs and outputs. It cannot be undone.</p>
    </ConfirmAction>
  );
}

/** @throws what kept the first one from being deleted. */
async function deleteOneByOne(traces: readonly TraceListItem[]) {
  const gone = new Set<string>();
  for (const { id } of traces) {
    try {
      await api.deleteTrace({ path: { id } });
      gone.add(id);
    } catch (error) {
      if (gone.size === 0) throw error;
      return { gone, error: error as Error };
    }
  }
  return { gone, error: null };
}
