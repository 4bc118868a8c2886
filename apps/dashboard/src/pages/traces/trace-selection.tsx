import type { TraceListItem } from '@spandrel/contract';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { AddSelected } from '../../features/add-to-dataset/add-selected.js';
import type { SelectedRows } from '../../features/list/list-page.js';
import { SelectionToolbar } from '../../features/list/selection-toolbar.js';
import { SendToReview } from '../../features/send-to-review.js';
import { DeleteTraces } from './delete-traces.js';
import type { ListedTraces } from './use-trace-list.js';

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
