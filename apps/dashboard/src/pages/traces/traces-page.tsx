import type { TraceListItem } from '@spandrel/contract';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { offeredSorts, withMember, withRange, type ListSearch } from '../../features/filters/list-search.js';
import { useAutoRefresh, ListPage, ListedGrid, useSelectedRows } from '../../features/list/list-page.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { describeCount } from '../../features/list/list-rules.js';
import { nameOfTrace, traceAddress } from '../../features/addresses.js';
import { TraceLink } from '../../features/trace-link.js';
import { rememberTraceList } from '../../features/list/list-memory.js';
import { metadataLine } from '../../features/metadata-text.js';
import { StatusBadge } from '../../components/badge.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import {
  costColumn,
  countColumn,
  durationColumn,
  previewColumn,
  scoresColumn,
  textColumn,
} from '../../features/columns/usual-columns.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { FirstSteps } from './first-steps.js';
import { TracesOverTime } from './traces-over-time.js';
import { readTracesSearch, TRACE_PARAMETERS } from './traces-search.js';
import { useTraceList } from './use-trace-list.js';
import { lazyPart } from '../../components/lazy-part.js';

const route = getRouteApi('/traces');

// Who has traces never needs it.
const FirstCall = lazyPart(async () => (await import('./first-call.js')).FirstCall);
const TraceSelection = lazyPart(async () => (await import('./trace-selection.js')).TraceSelection);
const OpenFile = lazyPart(async () => (await import('./open-file.js')).OpenFile);

/** The list of traces, with its filters. */
export function TracesPage() {
  const search = usePageSearch(readTracesSearch);
  const navigate = route.useNavigate();
  const change = (next: ListSearch, isTyped = false): void => void navigate({ search: next, replace: isTyped });
  const { isLive, onLive } = useAutoRefresh(search);
  const listed = useTraceList(search, isLive);
  const { list, live, shownKey, overTime } = listed;
  const columns = useListColumns<TraceListItem, ListSearch>({
    ...{ list: 'traces', columnsIn: traceColumns, offered: TRACE_COLUMNS, search, onChange: change },
    sorts: useMemo(() => offeredSorts(TRACE_PARAMETERS, search), [search]),
  });
  const selected = useSelectedRows<TraceListItem>(nameOfTrace, listed, overTime);
  const peeked = list.readRows.find(({ id }) => id === search.peek);
  useEffect(() => rememberTraceList({ path: '/traces', search: { ...search }, ids: idsOf(list.readRows) }));
  return (
    <ListPage
      title="Traces"
      {...{ list, search, isLive, onLive }}
      parameters={TRACE_PARAMETERS}
      onChange={change}
      intro={(isEmpty) => (
        <>
          {!list.isWaiting && <OpenFile />}
          <FirstSteps hasTrace={isEmpty ? false : list.length > 0 || (list.isWaiting ? null : undefined)} />
        </>
      )}
      empty={<FirstCall />}
    >
      <TracesOverTime listed={listed} search={search} onRange={(range) => change(withRange(search, range))} />
      <ListedGrid<TraceListItem>
        label="Traces"
        one="trace"
        count={describeCount(list, overTime, 'trace')}
        {...{ list, live, shownKey, columns }}
        onOpen={({ id }) => void navigate({ to: traceAddress(id) })}
        isDeleted={({ id }) => live.deleted.has(id)}
        selection={selected.selection}
        page={selected.page}
        openKey={search.peek}
        peek={
          search.peek === undefined ? undefined : { traceId: search.peek, spanId: peeked?.answer_span_id ?? undefined }
        }
        onPeek={(id) => change(withMember(search, 'peek', id ?? ''), true)}
        toolbar={selected.chosen.count !== 0 && <TraceSelection selected={selected} listed={listed} />}
      />
    </ListPage>
  );
}

const idsOf = (traces: readonly TraceListItem[]): string[] => traces.map(({ id }) => id);

/** Every column of the list of traces. @param zone zone of the times, shown in the header. */
function traceColumns(zone: string): GridColumn<TraceListItem>[] {
  return [
    { id: 'started_at', header: 'Started', note: zone, width: 136, cell: ({ started_at }) => <Time at={started_at} /> },
    { id: 'name', header: 'Name', width: 200, cell: (trace) => <TraceLink trace={trace} /> },
    { ...previewColumn('input', 'Input', ({ input_preview }) => input_preview), grows: true },
    { id: 'status', header: 'Status', width: 90, cell: ({ status }) => <StatusBadge status={status} /> },
    durationColumn('duration_ms', 'Duration', 76, ({ duration_ms }) => duration_ms),
    countColumn('span_count', 'Spans', 56, ({ span_count }) => span_count),
    countColumn('total_tokens', 'Tokens', 68, ({ total_tokens }) => total_tokens),
    costColumn('total_cost', 'Cost', 72, ({ total_cost }) => total_cost),
    textColumn('models', 'Models', 104, ({ models }) => models.join(', ')),
    textColumn('tags', 'Tags', 88, ({ tags }) => tags.join(', ')),
    textColumn('session_id', 'Session', 140, ({ session_id }) => session_id),
    textColumn('user_id', 'User', 120, ({ user_id }) => user_id),
    countColumn('error_count', 'Errors', 60, ({ error_count }) => error_count),
    textColumn('metadata', 'Metadata', 240, ({ metadata }) => metadataLine(metadata)),
    textColumn('id', 'Trace ID', 240, ({ id }) => id),
    previewColumn('output', 'Output', ({ output_preview }) => output_preview),
    scoresColumn,
  ];
}

const IDS = traceColumns('').map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
const TRACE_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('session_id')) };
