import type { SpanOutline } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { keys } from '../../api/keys.js';
import type { ListPage } from '../../api/list-page.js';
import type { Query } from '../../api/query-text.js';
import { countSpans, listSpans, searchSpans, spansByIds } from '../../api/spans.js';
import { useSpaced } from '../../components/hooks.js';
import { listFilters, listOrder, type ListSearch } from '../../features/filters/list-search.js';
import { useLiveList, type LiveList } from '../../features/list/use-live-list.js';
import { useFilteredList, type FilteredList } from '../../features/list/use-paged-list.js';
import { spanNews, searchesIndex, searchesTexts } from './spans-search.js';

/** What changes all the time is counted this often at most. */
const COUNTED_MS = 6_000;

export interface ListedSpans extends FilteredList<SpanOutline> {
  /** `undefined` while the server counts; `null` where counting would read every text. */
  counted: { count: number; exact: boolean } | null | undefined;
  live: LiveList;
}

/**
 * The list of spans by the filters of the address, and how many there are.
 * @param preview characters of texts that rows show.
 * @param isLive whether it is kept up to date.
 */
export function useSpanList(
  { cols: _cols, ...asked }: ListSearch,
  preview: number | undefined,
  isLive: boolean,
): ListedSpans {
  const isIndexed = searchesIndex(asked);
  const { mode, ...search } = asked;
  const found = useFilteredList<SpanOutline>({
    name: 'spans',
    filters: { ...search, preview, ...(isIndexed && { mode }) },
    queryAt: (now) => ({ ...listFilters(search, now), ...(isIndexed ? { mode } : listOrder(search)), preview }),
    fetch: isIndexed ? searchIndex : fetchSpans,
    idOf: ({ id }) => id,
  });
  const { list } = found;
  const { sort_by: _by, sort_order: _order, ...counting } = search;
  const isCounted = !searchesTexts(search) && !list.isComplete;
  const counted = useQuery({
    queryKey: keys.spanCount(counting),
    enabled: isCounted,
    queryFn: ({ signal }) => countSpans(listFilters(counting, Date.now()), signal),
  });
  const recount = useSpaced(() => void (isCounted && counted.refetch()), COUNTED_MS);
  const live = useLiveList(
    found,
    { read: spanNews, byIds: (ids) => spansByIds(ids, preview), recount },
    isLive && !isIndexed,
  );
  return { ...found, counted: searchesTexts(search) ? null : counted.data, live };
}

const searchIndex = (query: Query, _cursor: string | null, signal?: AbortSignal): Promise<ListPage<SpanOutline>> =>
  searchSpans(query, signal);

const fetchSpans = (query: Query, cursor: string | null, signal?: AbortSignal): Promise<ListPage<SpanOutline>> =>
  listSpans(query, cursor, signal);
