import type { TraceListItem } from '@spandrel/contract';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { AddSelected } from '../../features/add-to-dataset/add-selected.js';
import type { SelectedRows } from '../../features/list/list-page.js';
import { SelectionToolbar } from '../../features/list/selection-toolbar.js';
import { SendToReview } from '../../features/send-to-review.js';
import type { ListedTraces } from './use-trace-list.js';
import { formatCounted } from '@spandrel/contract/browser';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { runBulkJob, type BulkCounts, type ChosenRows } from '../../features/list/bulk-job.js';

interface TraceSelectionProps {
  selected: SelectedRows<TraceListItem>;
  listed: ListedTraces;
}

/** What can be done with the selected traces. */
export function TraceSelection({ selected, listed }: TraceSelectionProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const { rows, chosen, onClear } = selected;
  const spans = rows.reduce((sum, { span_count }) => sum + span_count, 0);
  return (
    <SelectionToolbar {...selected}>
      <AddSelected
        what="The last model call of each trace; of a trace without one its first span."
        {...{ chosen, isOfTraces: true }}
        onAdded={onClear}
      />
      <SendToReview one="trace" chosen={chosen} onSent={onClear} />
      <Button writes variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <DeleteTraces
          chosen={chosen}
          spans={rows.length === chosen.count ? spans : undefined}
          onClose={() => setIsDeleting(false)}
          onDeleted={(ids) => {
            listed.list.changeRows((row) => (ids.has(row.id) ? null : row));
            onClear();
            listed.recount();
          }}
        />
      )}
    </SelectionToolbar>
  );
}

interface DeleteTracesProps {
  chosen: ChosenRows;
  spans: number | undefined;
  onDeleted(ids: ReadonlySet<string>): void;
  onClose(): void;
}

function DeleteTraces({ chosen, spans, onDeleted, onClose }: DeleteTracesProps) {
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
