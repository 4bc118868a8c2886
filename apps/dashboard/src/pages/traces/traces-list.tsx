import type { TraceListItem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { AddSelected } from '../../features/add-to-dataset/add-selected.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import type { ListSearch } from '../../features/filters/list-search.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { SelectionToolbar } from '../../features/list-page/selection-toolbar.js';
import { useSelectedRows } from '../../features/list-page/use-selected-rows.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import { nameOfTrace, traceAddress } from '../../features/trace-link.js';
import { rememberTraceList } from '../../features/trace-list-memory.js';
import { TRACE_COLUMNS, traceColumns } from './trace-columns.js';
import { TRACE_PARAMETERS } from './traces-search.js';
import type { ListedTraces } from './use-trace-list.js';

export interface TracesListProps {
  search: ListSearch;
  listed: ListedTraces;
  onChange(search: ListSearch, isTyped?: boolean): void;
}

const DeleteTraces = lazy(async () => ({ default: (await import('./delete-traces.js')).DeleteTraces }));

/** The grid of traces, and what is done with selected ones. */
export function TracesList({ search, listed, onChange }: TracesListProps) {
  const { list, live, shownKey, overTime } = listed;
  const { times } = usePreferences();
  const all = useMemo(() => traceColumns(zoneName(Date.now(), times)), [times]);
  const columns = useListColumns<TraceListItem, ListSearch>({
    ...{ list: 'traces', columns: all, offered: TRACE_COLUMNS, sorts: TRACE_PARAMETERS.sorts, search, onChange },
  });
  const selected = useSelectedRows<TraceListItem>(nameOfTrace);
  const [isDeleting, setIsDeleting] = useState(false);
  const navigate = useNavigate();
  useEffect(() => rememberTraceList({ path: '/traces', search: { ...search }, ids: idsOf(list.readRows) }));
  return (
    <>
      <ListedGrid<TraceListItem>
        label="Traces"
        one="trace"
        count={describeCount(list, overTime, 'trace')}
        {...{ list, live, shownKey, columns }}
        onOpen={({ id }) => void navigate({ to: traceAddress(id) })}
        isDeleted={({ id }) => live.deleted.has(id)}
        selection={selected.selection}
        toolbar={
          <SelectionToolbar count={selected.rows.length} onClear={selected.clear}>
            <AddSelected
              what={`The last model call of ${formatCounted(selected.rows.length, 'trace')}; of a trace without one its first span.`}
              findSpans={async () => (await import('../../api/trace-calls.js')).spansOfTraces(idsOf(selected.rows))}
              onAdded={selected.clear}
            />
            <Button writes variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
              Delete
            </Button>
          </SelectionToolbar>
        }
      />
      {isDeleting && (
        <Suspense fallback={null}>
          <DeleteTraces
            traces={selected.rows}
            onClose={() => setIsDeleting(false)}
            onDeleted={(ids) => {
              list.changeRows((row) => (ids.has(row.id) ? null : row));
              selected.clear();
              listed.recount();
            }}
          />
        </Suspense>
      )}
    </>
  );
}

const idsOf = (traces: readonly TraceListItem[]): string[] => traces.map(({ id }) => id);
