import { useMemo, useState } from 'react';
import type { ListPage } from '../../api/list-page.js';
import type { Query } from '../../api/query-text.js';
import { usePagedList, type PagedList } from './use-paged-list.js';

/** Moments at which ranges that go with the clock ended when their lists were begun: all pages of a list are of one range. */
const begun = new Map<string, number>();

/** How a list is asked for. */
export interface ListRequest<Row> {
  /** Name of the list, in the keys of the query cache. */
  name: string;
  /** The filters of the address, with whatever else makes it another list. */
  filters: object;
  /** What the API is asked for. @param now milliseconds, where ranges that go with the clock end. */
  queryAt(now: number): Query;
  fetch(query: Query, cursor: string | null, signal?: AbortSignal): Promise<ListPage<Row>>;
  idOf(row: Row): string;
}

/** Where the rows of a list come from. It is the very same object while the list is. */
interface ListSource<Row> {
  /** The query at this moment. */
  query(): Query;
  /** The first page as it is at this moment. */
  first(): Promise<ListPage<Row>>;
  idOf(row: Row): string;
  /** Notes that the list begins at this moment, which all its pages keep. */
  begin(): void;
}

export interface FilteredList<Row> {
  list: PagedList<Row>;
  source: ListSource<Row>;
  /** Which list the rows on screen are of; it changes when those of another one have come. */
  shownKey: string;
}

/** A list by the filters of the address. @param request what it says may be other objects every time. */
export function useFilteredList<Row>(request: ListRequest<Row>): FilteredList<Row> {
  const { name, filters } = request;
  const identity = JSON.stringify([name, filters]);
  // oxlint-disable-next-line react/exhaustive-deps -- the identity is the text of the filters
  const stable = useMemo(() => request, [identity]);
  const source = useMemo<ListSource<Row>>(() => {
    const query = () => stable.queryAt(Date.now());
    return {
      query,
      first: () => stable.fetch(query(), null),
      idOf: (row) => stable.idOf(row),
      begin: () => void begun.set(identity, Date.now()),
    };
  }, [stable, identity]);
  const list = usePagedList<Row>({
    key: [stable.name, 'page', stable.filters],
    idOf: stable.idOf,
    fetch: (cursor, signal) => {
      if (cursor === null) source.begin();
      return stable.fetch(stable.queryAt(begun.get(identity) ?? Date.now()), cursor, signal);
    },
  });
  const [shownKey, setShownKey] = useState(identity);
  if (shownKey !== identity && !list.isWaiting) setShownKey(identity);
  return { list, source, shownKey };
}
