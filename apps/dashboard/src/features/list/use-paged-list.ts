import { keepPreviousData, useQueries, useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ListPage } from '../../api/list-page.js';
import {
  countRows,
  isComplete,
  locateRow,
  recordPage,
  wantedPages,
  type KnownPage,
  type PageIndex,
} from './page-index.js';
import type { Query } from '../../api/query-text.js';

/** How the pages of a list are found. */
interface PagedSource<Row> {
  /** What is asked for, as a key of the query cache; it is another list when this is another. */
  key: QueryKey;
  fetch(cursor: string | null, signal: AbortSignal): Promise<ListPage<Row>>;
  idOf(row: Row): string;
}

export interface PagedList<Row> {
  length: number;
  isComplete: boolean;
  rowAt(index: number): Row | undefined;
  keyAt(index: number): string;
  onVisible(first: number, last: number): void;
  /** The rows on screen, as far as they were fetched. */
  visibleRows(): readonly Row[];
  /** The rows of all pages in memory, in their order. */
  readRows: readonly Row[];
  /** Rows of the first page, with what is known of the one behind. */
  firstPage: ListPage<Row> | undefined;
  isWaiting: boolean;
  error: Error | null;
  retry(): void;
  /** Changes rows in place. @param change returns the row itself where it stays. */
  changeRows(change: (row: Row) => Row | null): void;
  /** Puts rows before the first one. */
  prepend(rows: readonly Row[]): void;
  /** Begins the list again with a first page that was fetched otherwise. */
  restart(first: ListPage<Row>): void;
}

/** Pages in memory; those furthest from the screen are dropped, and fetched again by the cursors that are remembered. */
const PAGES_MAX = 20;
/** The next page is fetched this many rows before its first. */
const AHEAD = 120;
const NONE: PageIndex = [];

/** A list of any length, read in pages by cursor as far as somebody scrolls. */
function usePagedList<Row>(source: PagedSource<Row>): PagedList<Row> {
  const { key, fetch, idOf } = source;
  const client = useQueryClient();
  const identity = JSON.stringify(key);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const [known, setKnown] = useState({ identity, index: NONE });
  const index = known.identity === identity ? known.index : NONE;

  const page = (cursor: string | null) => ({
    queryKey: [...key, cursor],
    queryFn: ({ signal }: { signal: AbortSignal }) => fetch(cursor, signal),
    // Who listens to events says what changed; a page that was fetched again would move rows.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const first = useQuery({ ...page(null), placeholderData: keepPreviousData });
  const wanted = first.isPlaceholderData ? [] : wantedPages(index, range.first, range.last, AHEAD);
  const results = useQueries({ queries: wanted.map((cursor) => page(cursor)) });

  const next = results.reduce<PageIndex>((before, { data }, at) => {
    return data === undefined ? before : recordPage(before, knownPage(wanted[at]!, data));
  }, index);
  if (next !== index || known.identity !== identity) setKnown({ identity, index: next });
  const shown = useMemo(
    () => (first.isPlaceholderData && first.data ? [knownPage(null, { ...first.data, next: null })] : next),
    [first.isPlaceholderData, first.data, next],
  );
  useForgetting(key, shown, wanted);

  const pageOf = (cursor: string | null): ListPage<Row> | undefined =>
    cursor === null ? first.data : client.getQueryData<ListPage<Row>>([...key, cursor]);
  const rowAt = (row: number): Row | undefined => {
    const place = locateRow(shown, row);
    return place === null ? undefined : pageOf(place.cursor)?.rows[place.offset];
  };
  const changeRows = (change: (row: Row) => Row | null): void => {
    for (const [queryKey, data] of client.getQueriesData<ListPage<Row>>({ queryKey: [...key] })) {
      if (data) client.setQueryData(queryKey, changePage(data, change));
    }
  };
  const prepend = (rows: readonly Row[]): void => {
    client.setQueryData<ListPage<Row>>([...key, null], (page) => page && { ...page, rows: [...rows, ...page.rows] });
  };
  const restart = (fresh: ListPage<Row>): void => {
    client.removeQueries({ queryKey: [...key], predicate: ({ queryKey }) => queryKey.at(-1) !== null });
    client.setQueryData([...key, null], fresh);
    setKnown({ identity, index: [knownPage(null, fresh)] });
    setRange({ first: 0, last: 0 });
  };
  const onVisible = useCallback((from: number, to: number) => setRange({ first: from, last: to }), []);
  const failed = results.find(({ isError }) => isError);
  return {
    length: countRows(shown),
    isComplete: isComplete(shown),
    rowAt,
    keyAt: (row) => {
      const found = rowAt(row);
      return found === undefined ? `row ${row}` : idOf(found);
    },
    onVisible,
    visibleRows: () => rowsBetween(range.first, Math.min(range.last, countRows(shown) - 1), rowAt),
    readRows: useRowsOf(shown.map(({ cursor }) => pageOf(cursor))),
    firstPage: first.isPlaceholderData ? undefined : first.data,
    isWaiting: first.isPending || first.isPlaceholderData,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    changeRows,
    prepend,
    restart,
  };
}

/** @returns the very same rows as long as the pages are the same. */
function useRowsOf<Row>(pages: readonly (ListPage<Row> | undefined)[]): readonly Row[] {
  const [kept, setKept] = useState<{ pages: typeof pages; rows: readonly Row[] }>({ pages: [], rows: [] });
  if (kept.pages.length === pages.length && kept.pages.every((page, at) => page === pages[at])) return kept.rows;
  const next = { pages, rows: pages.flatMap((page) => page?.rows ?? []) };
  setKept(next);
  return next.rows;
}

function knownPage(cursor: string | null, { rows, next }: ListPage<unknown>): KnownPage {
  return { cursor, count: rows.length, next };
}

function rowsBetween<Row>(first: number, last: number, rowAt: (index: number) => Row | undefined): Row[] {
  const rows: Row[] = [];
  for (let at = first; at <= last; at++) {
    const row = rowAt(at);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function changePage<Row>(page: ListPage<Row>, change: (row: Row) => Row | null): ListPage<Row> {
  const rows = page.rows.map(change).filter((row) => row !== null);
  const isSame = rows.length === page.rows.length && rows.every((row, at) => row === page.rows[at]);
  return isSame ? page : { ...page, rows };
}

/** Drops the rows of pages that are far from the screen. */
function useForgetting(key: QueryKey, index: PageIndex, wanted: readonly (string | null)[]): void {
  const client = useQueryClient();
  const isMany = index.length > PAGES_MAX;
  const middle = index.findIndex(({ cursor }) => cursor === wanted[0]);
  useEffect(() => {
    if (!isMany) return;
    const distant = index
      .map(({ cursor }, at) => ({ cursor, distance: Math.abs(at - middle) }))
      .filter(({ cursor, distance }) => cursor !== null && distance > PAGES_MAX / 2);
    for (const { cursor } of distant)
      client.removeQueries({ queryKey: [...key, cursor], exact: true, type: 'inactive' });
    // The key follows from its text.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [client, isMany, index, middle]);
}

/** Moments at which ranges that go with the clock ended when their lists were begun: all pages of a list are of one range. */
const begun = new Map<string, number>();

/** How a list is asked for. */
interface ListRequest<Row> {
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
