import { formatCounted } from '@spandrel/contract/browser';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { runBulkJob, type BulkCounts, type ChosenRows } from '../../features/list/bulk-job.js';

interface DeleteTracesProps {
  chosen: ChosenRows;
  /** How many spans they have, where that is known. */
  spans: number | undefined;
  onDeleted(ids: ReadonlySet<string>): void;
  onClose(): void;
}

/** Asks whether traces shall be deleted, and deletes them in the background. */
export function DeleteTraces({ chosen, spans, onDeleted, onClose }: DeleteTracesProps) {
  const { count, isMore } = chosen;
  const many = count === undefined || isMore ? 'all traces that match' : formatCounted(count, 'trace');
  const deleteAll = (): void => {
    const gone = new Set<string>();
    onClose();
    void runBulkJob({
      ...{ chosen, title: 'Deleting traces', one: 'trace' },
      act: (ids, signal) => deletePage(ids, signal, gone),
      describe: ({ done }) => `Deleted ${formatCounted(done, 'trace')}`,
      onEnd: () => onDeleted(gone),
    });
  };
  return (
    <ConfirmDialog title={`Delete ${many}?`} action="Delete" onConfirm={deleteAll} onClose={onClose}>
      <p>
        This deletes {spans === undefined ? 'their spans' : formatCounted(spans, 'span')} with their inputs and outputs.
        It cannot be undone.
      </p>
    </ConfirmDialog>
  );
}

/** Deletes the traces of a page. @param gone those that are, so that none is tried twice. */
async function deletePage(ids: readonly string[], signal: AbortSignal, gone: Set<string>): Promise<BulkCounts> {
  for (const id of ids) {
    if (signal.aborted) break;
    if (gone.has(id)) continue;
    await api.deleteTrace({ path: { id } }).catch((error: unknown) => {
      // Somebody else deleted it.
      if (!isNotFound(error)) throw error;
    });
    gone.add(id);
  }
  return { done: ids.filter((id) => gone.has(id)).length, existing: 0, failed: 0 };
}
