import type { SearchMode, SpanOutline } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { copyText } from '../../components/copy-text.js';
import { EmptyState } from '../../components/empty-state.js';
import { zoneName } from '../../components/format/format-time.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { AddSelected } from '../../features/add-to-dataset/add-selected.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import type { ListSearch } from '../../features/filters/list-search.js';
import { ListPage } from '../../features/list-page/list-page.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { SelectionToolbar } from '../../features/list-page/selection-toolbar.js';
import { useSelectedRows } from '../../features/list-page/use-selected-rows.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import { useCapabilities } from '../../features/payload/use-capabilities.js';
import { nameOfSpan } from '../../features/spans/span-link.js';
import { traceAddress } from '../../features/trace-link.js';
import { rememberTraceList } from '../../features/trace-list-memory.js';
import { previewOf, SPAN_COLUMNS, spanColumns } from './span-columns.js';
import { spanParameters } from './spans-search.js';
import { useSpanList } from './use-span-list.js';

const route = getRouteApi('/spans');
const NO_MODES: readonly SearchMode[] = [];

/** The list of spans of all traces, with its filters. */
export function SpansPage() {
  const search: ListSearch = route.useSearch();
  const navigate = useNavigate();
  const change = useCallback(
    (next: ListSearch, isTyped = false) => void navigate({ to: '/spans', search: next, replace: isTyped }),
    [navigate],
  );
  const [isLive, setIsLive] = useState(true);
  const { list, live, counted, shownKey } = useSpanList(search, previewOf(search.cols), isLive);
  const { times } = usePreferences();
  const modes = useCapabilities()?.search_modes ?? NO_MODES;
  const parameters = useMemo(() => spanParameters(modes), [modes]);
  const all = useMemo(() => spanColumns(zoneName(Date.now(), times)), [times]);
  const columns = useListColumns<SpanOutline, ListSearch>({
    ...{ list: 'spans', columns: all, offered: SPAN_COLUMNS, sorts: parameters.sorts, search, onChange: change },
  });
  const selected = useSelectedRows<SpanOutline>(nameOfSpan);
  useEffect(() => rememberTraceList({ path: '/spans', search: { ...search }, ids: tracesOf(list.readRows) }));
  return (
    <ListPage
      title="Spans"
      {...{ list, search, isLive }}
      parameters={parameters}
      onChange={change}
      onLive={setIsLive}
      empty={<NoSpans />}
    >
      <ListedGrid<SpanOutline>
        label="Spans"
        one="span"
        count={describeCount(list, counted, 'span')}
        {...{ list, live, columns, shownKey }}
        onOpen={({ id, trace_id: trace }) => void navigate({ to: traceAddress(trace), search: { span: id } } as never)}
        isDeleted={({ id, trace_id: trace }) => live.deleted.has(id) || live.deleted.has(trace)}
        selection={selected.selection}
        toolbar={
          <SelectionToolbar count={selected.rows.length} onClear={selected.clear}>
            <AddSelected
              what={`${formatCounted(selected.rows.length, 'span')}, each as a datapoint.`}
              findSpans={() => Promise.resolve(selected.rows.map(({ id }) => id))}
              onAdded={selected.clear}
            />
            <Button icon="copy" onClick={() => copyIds(selected.rows)}>
              Copy IDs
            </Button>
          </SelectionToolbar>
        }
      />
    </ListPage>
  );
}

function NoSpans() {
  return (
    <EmptyState title="No spans yet" action={<Link to="/traces">Send your first call</Link>}>
      <p>A span is one step of a trace: a call of a model, of a tool, a search. Those of all traces are found here.</p>
    </EmptyState>
  );
}

/** Ids of the spans, a line each. */
function copyIds(spans: readonly SpanOutline[]): void {
  copyText(spans.map(({ id }) => id).join('\n')).then(
    () => notify(`Copied ${formatCounted(spans.length, 'ID')}`),
    (error: Error) => notifyError('The IDs could not be copied', error),
  );
}

/** The traces of spans in their order, each once. */
const tracesOf = (spans: readonly SpanOutline[]): string[] => [...new Set(spans.map(({ trace_id: trace }) => trace))];
