import type { TraceListItem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { AddSelected } from '../../features/add-to-dataset/add-selected.js';
import { SelectionToolbar, type SelectedRows } from '../../features/list/list-page.js';
import { DeleteTraces } from './delete-traces.js';
import type { ListedTraces } from './use-trace-list.js';

interface TraceSelectionProps {
  selected: SelectedRows<TraceListItem>;
  listed: ListedTraces;
}

/** What can be done with the selected traces. */
export function TraceSelection({ selected: { rows, clear }, listed }: TraceSelectionProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <SelectionToolbar count={rows.length} onClear={clear}>
      <AddSelected
        what={`The last model call of ${formatCounted(rows.length, 'trace')}; of a trace without one its first span.`}
        traceIds={rows.map(({ id }) => id)}
        onAdded={clear}
      />
      <Button writes variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <DeleteTraces
          traces={rows}
          onClose={() => setIsDeleting(false)}
          onDeleted={(ids) => {
            listed.list.changeRows((row) => (ids.has(row.id) ? null : row));
            clear();
            listed.recount();
          }}
        />
      )}
    </SelectionToolbar>
  );
}
