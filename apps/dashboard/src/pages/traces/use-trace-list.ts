import type { TraceListItem } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { listOrder, listFilters, type ListSearch } from '../../features/filters/list-search.js';
import { listPage, api } from '../../api/api.js';
import { firstKeys } from '../../api/first-keys.js';
import { includedIn, PREVIEW } from '../../features/columns/column-choice.js';
import { useSpaced } from '../../components/hooks.js';
import { useLiveList } from '../../features/list/use-live-list.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { newTraces, traceChanges } from './trace-changes.js';

/** What changes all the time is counted this often at most. */
const COUNTED_MS = 6_000;

export type ListedTraces = ReturnType<typeof useTraceList>;

/**
 * The list of traces by the filters of the address, and how many there are.
 * @param isLive whether it is kept up to date.
 */
export function useTraceList({ cols, peek: _peek, ...filters }: ListSearch, isLive: boolean) {
  const include = includedIn(cols, ['scores']);
  const found = useFilteredList<TraceListItem>({
    name: 'traces',
    filters: { ...filters, ...include },
    queryAt: (now) => ({ ...listFilters(filters, now), ...listOrder(filters), ...include, preview: PREVIEW }),
    operation: 'listTraces',
    idOf: ({ id }) => id,
  });
  const { list } = found;
  const { sort_by: _by, sort_order: _order, ...counting } = filters;
  // A list that was read to its end is counted by its rows.
  const counted = useQuery({
    queryKey: firstKeys.tracesOverTime(counting),
    enabled: !list.isComplete,
    queryFn: ({ signal }) => api.countTracesOverTime({ query: listFilters(counting, Date.now()) as never, signal }),
  });
  const recount = useSpaced(() => void (list.isComplete || counted.refetch()), COUNTED_MS);
  // Whether a filter matches, and where a trace stands in another order, only the server can say.
  const isUnfiltered = Object.keys(filters).every((name) => name === 'range');
  const live = useLiveList(
    found,
    {
      changes: traceChanges,
      byIds: async (ids) =>
        (await listPage<TraceListItem>('listTraces', { query: { ids, ...include, preview: PREVIEW } })).rows,
      newRows: isUnfiltered ? newTraces : undefined,
      recount,
    },
    isLive,
  );
  return { ...found, overTime: counted.data, live, recount };
}
