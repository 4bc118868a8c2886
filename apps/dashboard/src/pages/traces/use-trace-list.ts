import { useQuery } from '@tanstack/react-query';
import type { TraceListItem, TracesOverTime } from '@spandrel/contract';
import { useMemo } from 'react';
import { keys } from '../../api/keys.js';
import { countTracesOverTime, listTraces } from '../../api/traces.js';
import type { Query } from '../../api/query-text.js';
import { useSpaced } from '../../components/use-spaced.js';
import { usePagedList, type PagedList } from '../../features/paged-list/use-paged-list.js';
import { traceFilters, type TracesSearch } from './traces-search.js';

/** What changes all the time is counted this often at most. */
const COUNTED_MS = 6_000;

/** Moments at which ranges that go with the clock ended when their lists were begun: all pages of a list are of one range. */
const begun = new Map<string, number>();

/** What the API is asked for, by the filters of an address. */
interface TraceSource {
  /** The filters, without what is no filter. */
  filters: TracesSearch;
  /** The query of the first page at this moment. */
  query(): Query;
  /** Characters of texts that rows show; none where no column shows them. */
  preview: number | undefined;
  /** Notes that the list begins at this moment, which all its pages keep. */
  begin(): void;
}

export interface ListedTraces {
  list: PagedList<TraceListItem>;
  /** Not asked for where the list was read to its end. */
  overTime: TracesOverTime | undefined;
  source: TraceSource;
  /** Counts anew. */
  recount(): void;
}

/**
 * The list of traces by the filters of the address, and how many there are.
 * @param preview characters of texts that rows show.
 */
export function useTraceList({ cols: _cols, ...filters }: TracesSearch, preview: number | undefined): ListedTraces {
  const identity = JSON.stringify(filters);
  // oxlint-disable-next-line react/exhaustive-deps -- the identity is the text of the filters
  const stable = useMemo(() => filters, [identity]);
  const source = useMemo(
    () => ({
      filters: stable,
      preview,
      query: () => ({ ...traceFilters(stable, Date.now()), preview }),
      begin: () => void begun.set(identity, Date.now()),
    }),
    [stable, identity, preview],
  );
  const list = usePagedList<TraceListItem>({
    key: keys.tracePages({ ...stable, preview }),
    idOf: ({ id }) => id,
    fetch: (cursor, signal) => {
      if (cursor === null) source.begin();
      return listTraces({ ...traceFilters(stable, begun.get(identity) ?? Date.now()), preview }, cursor, signal);
    },
  });
  const counted = useQuery({
    queryKey: keys.tracesOverTime(stable),
    enabled: !list.isComplete,
    queryFn: ({ signal }) => countTracesOverTime(traceFilters(stable, Date.now()), signal),
  });
  // A list that was read to its end is counted by its rows.
  const recount = useSpaced(() => void (list.isComplete || counted.refetch()), COUNTED_MS);
  return { list, overTime: counted.data, source, recount };
}
