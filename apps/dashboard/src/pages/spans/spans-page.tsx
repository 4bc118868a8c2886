import type { SpanOutline } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { Link, useNavigate } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api, listPage, type ListPage as Page, type Query } from '../../api/api.js';
import { PAGE_ROWS } from '../../api/page-rows.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/hooks.js';
import { useLiveList } from '../../features/list/use-live-list.js';
import { useFilteredList, type PagedList } from '../../features/list/use-paged-list.js';
import { copyAs } from '../../components/save-text.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/page-parts.js';
import { AddSelected } from '../../features/add-to-dataset/add-selected.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import {
  listFilters,
  listOrder,
  offeredSorts,
  withMember,
  type ListParameters,
  type ListSearch,
} from '../../features/filters/list-search.js';
import { useAutoRefresh, ListPage, ListedGrid, useSelectedRows } from '../../features/list/list-page.js';
import { SelectionToolbar } from '../../features/list/selection-toolbar.js';
import { SendToReview } from '../../features/send-to-review.js';
import { ReplayButton } from '../../features/replay/replay-button.js';
import { sourceOfRows } from '../../features/replay/replay-source.js';
import { describeCount } from '../../features/list/list-rules.js';
import { useCapabilities } from '../../features/browser-session.js';
import { nameOfSpan, traceAddress } from '../../features/addresses.js';
import { SpanLink } from '../../features/links.js';
import { rememberTraceList } from '../../features/list/list-memory.js';
import { StatusBadge } from '../../components/badge.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { includedIn, PREVIEW, type OfferedColumns } from '../../features/columns/column-choice.js';
import {
  costColumn,
  countColumn,
  durationColumn,
  previewColumn,
  textColumn,
  scoresColumn,
} from '../../features/columns/usual-columns.js';
import { metadataLine } from '../../features/metadata-text.js';
import { KIND_WORDS, kindWord } from '../../features/kind-words.js';
import { measureOf, modelOf, statusWordOf } from '../../features/trace-span.js';
import { usePageSearch } from '../../features/use-page-search.js';
import {
  ALL_PARAMETERS,
  readSpansSearch,
  searchesIndex,
  searchesTexts,
  spanChanges,
  spanParameters,
} from './spans-search.js';

/** The list of spans of all traces, with its filters. */
export function SpansPage() {
  const search = usePageSearch(readSpansSearch);
  const navigate = useNavigate();
  const change = (next: ListSearch, isTyped = false): void =>
    void navigate({ to: '/spans', search: next, replace: isTyped });
  const { isLive, onLive } = useAutoRefresh(search);
  const listed = useSpanList(search, isLive);
  const { list, live, counted, shownKey } = listed;
  const parameters = withKindWords(spanParameters(useCapabilities()?.search_modes ?? []));
  const columns = useListColumns<SpanOutline, ListSearch>({
    ...{ list: 'spans', columnsIn: spanColumns, offered: SPAN_COLUMNS, search, onChange: change },
    sorts: useMemo(() => offeredSorts(ALL_PARAMETERS, search), [search]),
  });
  const selected = useSelectedRows<SpanOutline>(nameOfSpan, listed, counted);
  const peeked = usePeeked(list, search.peek);
  useEffect(() => rememberTraceList({ path: '/spans', search: { ...search }, ids: tracesOf(list.readRows) }));
  return (
    <ListPage
      title="Spans"
      {...{ list, search, isLive, onLive }}
      parameters={parameters}
      onChange={change}
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
        page={selected.page}
        openKey={search.peek}
        peek={peeked && { traceId: peeked.trace_id, spanId: peeked.id }}
        onPeek={(id) => change(withMember(search, 'peek', id ?? ''), true)}
        toolbar={
          <SelectionToolbar {...selected}>
            <AddSelected what="Each span becomes a datapoint." chosen={selected.chosen} onAdded={selected.onClear} />
            <SendToReview one="span" chosen={selected.chosen} onSent={selected.onClear} />
            <ReplayButton {...sourceOfRows(selected.chosen)} />
            <Button
              icon="copy"
              disabled={selected.chosen.count !== selected.rows.length}
              onClick={() =>
                void copyAs(formatCounted(selected.rows.length, 'ID'), selected.rows.map(({ id }) => id).join('\n'))
              }
            >
              Copy IDs
            </Button>
          </SelectionToolbar>
        }
      />
    </ListPage>
  );
}

/** The filters with the words for kinds, which only this page fetches. */
const withKindWords = ({ fields, ...rest }: ListParameters): ListParameters => ({
  ...rest,
  fields: fields.map((field) => (field.id === 'kind' ? { ...field, words: KIND_WORDS } : field)),
});

/** The span that is shown beside the list: one of its rows, or one that an address names. */
function usePeeked({ readRows }: PagedList<SpanOutline>, id: string | undefined): SpanOutline | undefined {
  const row = readRows.find((span) => span.id === id);
  const { data } = useQuery({
    queryKey: ['spans', 'peek', id],
    enabled: id !== undefined && row === undefined,
    queryFn: ({ signal }) => listPage<SpanOutline>('listSpans', { query: { ids: [id!], view: 'outline' }, signal }),
  });
  return id === undefined ? undefined : (row ?? data?.rows[0]);
}

/** What changes all the time is counted this often at most. */
const COUNTED_MS = 6_000;

/** The list of spans by the filters of the address. @param isLive whether it is kept up to date. */
function useSpanList({ cols, peek: _peek, ...asked }: ListSearch, isLive: boolean) {
  const include = includedIn(cols, ['scores', 'metadata']);
  const isIndexed = searchesIndex(asked);
  const { mode, ...search } = asked;
  const found = useFilteredList<SpanOutline>({
    name: 'spans',
    filters: { ...search, ...include, ...(isIndexed && { mode }) },
    queryAt: (now) => ({
      ...listFilters(search, now),
      ...(isIndexed ? { mode } : listOrder(search)),
      view: 'outline',
      preview: PREVIEW,
      ...include,
    }),
    operation: 'listSpans',
    ...(isIndexed && { fetch: searchIndex }),
    idOf: ({ id }) => id,
  });
  const { list } = found;
  const { sort_by: _by, sort_order: _order, ...counting } = search;
  const isCounted = !searchesTexts(search) && !list.isComplete;
  const counted = useQuery({
    queryKey: keys.spanCount(counting),
    enabled: isCounted,
    queryFn: ({ signal }) => api.countSpans({ query: listFilters(counting, Date.now()) as never, signal }),
  });
  const recount = useSpaced(() => void (isCounted && counted.refetch()), COUNTED_MS);
  const live = useLiveList(
    found,
    {
      changes: spanChanges,
      byIds: async (ids) =>
        (await listPage<SpanOutline>('listSpans', { query: { ids, view: 'outline', preview: PREVIEW, ...include } }))
          .rows,
      recount,
    },
    isLive && !isIndexed,
  );
  // Counting what is found by its texts would read every text.
  return { ...found, counted: searchesTexts(search) ? null : counted.data, live };
}

/** The best of what an index finds, which is one page. @param query `text_contains` is searched; the rest must match. */
async function searchIndex(query: Query, _cursor: string | null, signal?: AbortSignal): Promise<Page<SpanOutline>> {
  const { text_contains: text, mode, preview, view, tag, include, ...filters } = query;
  const tags = [tag ?? []].flat();
  const body = {
    ...{ query: text, mode, preview, view, limit: PAGE_ROWS },
    filters: { ...filters, tag: tags.length > 1 ? tags : tags[0] },
    ...([include].flat().includes('scores') && { include: 'scores' }),
  };
  const { spans } = await api.searchSpans({ body: body as never, signal });
  return { rows: spans as SpanOutline[], next: null };
}

function NoSpans() {
  return (
    <EmptyState title="No spans yet" action={<Link to="/traces">Send your first call</Link>}>
      <p>
        A span is one step of a trace, such as a model call, a tool call or a search. Spans of all traces are listed
        here.
      </p>
    </EmptyState>
  );
}

const tracesOf = (spans: readonly SpanOutline[]): string[] => [...new Set(spans.map(({ trace_id: trace }) => trace))];

/** The metadata that the caller gave; what the service adds has columns of its own. */
function metadataOfCaller({ metadata }: SpanOutline): string {
  const { duration_ms: _duration, total_tokens: _tokens, cost: _cost, cost_source: _source, ...given } = metadata;
  return metadataLine(given);
}

function spanColumns(zone: string): GridColumn<SpanOutline>[] {
  return [
    { id: 'started_at', header: 'Started', note: zone, width: 136, cell: ({ started_at }) => <Time at={started_at} /> },
    { id: 'name', header: 'Name', width: 180, cell: (span) => <SpanLink span={span} /> },
    { ...previewColumn('input', 'Input', ({ input_preview }) => input_preview), grows: true },
    textColumn('kind', 'Kind', 90, kindWord),
    textColumn('model', 'Model', 140, modelOf),
    { id: 'status', header: 'Status', width: 90, cell: (span) => <StatusBadge status={statusWordOf(span)} /> },
    durationColumn('duration', 'Duration', 90, (span) => measureOf(span, 'duration_ms')),
    countColumn('tokens', 'Tokens', 80, (span) => measureOf(span, 'total_tokens')),
    costColumn('cost', 'Cost', 80, (span) => measureOf(span, 'cost')),
    textColumn('provider', 'Provider', 100, ({ kind: { provider } }) =>
      typeof provider === 'string' ? provider : null,
    ),
    textColumn('error', 'Error', 280, ({ error }) => error),
    previewColumn('output', 'Output', ({ output_preview }) => output_preview),
    textColumn('ids', 'IDs', 320, ({ id, trace_id: trace }) => `${id} in ${trace}`),
    scoresColumn,
    textColumn('metadata', 'Metadata', 240, metadataOfCaller),
  ];
}

const IDS = spanColumns('').map(({ id }) => id);

const SPAN_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('provider')) };
