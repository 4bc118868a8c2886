import type { SpanOutline } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { api, listPage, PAGE_ROWS, type ListPage, type Query } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/hooks.js';
import { listFilters, listOrder, type ListSearch } from '../../features/filters/list-search.js';
import { useLiveList } from '../../features/list/use-live-list.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { spanChanges, searchesIndex, searchesTexts } from './spans-search.js';

/** What changes all the time is counted this often at most. */
const COUNTED_MS = 6_000;

/**
 * The list of spans by the filters of the address, and how many there are.
 * @param preview characters of texts that rows show.
 * @param isLive whether it is kept up to date.
 */
export function useSpanList({ cols: _cols, ...asked }: ListSearch, preview: number | undefined, isLive: boolean) {
  const isIndexed = searchesIndex(asked);
  const { mode, ...search } = asked;
  const found = useFilteredList<SpanOutline>({
    name: 'spans',
    filters: { ...search, preview, ...(isIndexed && { mode }) },
    queryAt: (now) => ({
      ...listFilters(search, now),
      ...(isIndexed ? { mode } : listOrder(search)),
      view: 'outline',
      preview,
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
        (await listPage<SpanOutline>('listSpans', { query: { ids, view: 'outline', preview } })).rows,
      recount,
    },
    isLive && !isIndexed,
  );
  // Counting what is found by its texts would read every text.
  return { ...found, counted: searchesTexts(search) ? null : counted.data, live };
}

/** The best of what an index finds, which is one page. @param query `text_contains` is searched; the rest must match. */
async function searchIndex(query: Query, _cursor: string | null, signal?: AbortSignal): Promise<ListPage<SpanOutline>> {
  const { text_contains: text, mode, preview, view, tag, ...filters } = query;
  const tags = [tag ?? []].flat();
  const body = {
    ...{ query: text, mode, preview, view, limit: PAGE_ROWS },
    filters: { ...filters, tag: tags.length > 1 ? tags : tags[0] },
  };
  const { spans } = await api.searchSpans({ body: body as never, signal });
  return { rows: spans as SpanOutline[], next: null };
}
