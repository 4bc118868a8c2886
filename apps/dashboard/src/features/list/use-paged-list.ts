import type { ListId } from '@spandrel/sdk/api';
import { useInfiniteQuery, useQueryClient, type InfiniteData, type QueryKey } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { listPage, type ListPage, type Query } from '../../api/api.js';
import { useLatest, useSpaced } from '../../components/hooks.js';
import { notifyError } from '../../components/notify.js';
import type { MatchingRows } from './bulk-job.js';

interface ListRequest<Row> {
  /** Name of the list, in the keys of the query cache. */
  name: string;
  /** The filters of the address, with all that makes it another list. */
  filters: object;
  /** What the API is asked for; the filters when left out. @param now milliseconds, where ranges that go with the clock end. */
  queryAt?(now: number): Query;
  /** The operation that answers its pages, and the ids in its path. */
  operation: ListId;
  path?: Readonly<Record<string, string>>;
  /** Reads a page where the operation alone does not say how. */
  fetch?(query: Query, cursor: string | null, signal?: AbortSignal): Promise<ListPage<Row>>;
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
  /** The first page as it was last in memory. */
  firstPage: ListPage<Row> | undefined;
  isWaiting: boolean;
  error: Error | null;
  refetch(): void;
  /** Changes rows in place. @param change returns the row itself where it stays. */
  changeRows(change: (row: Row) => Row | null): void;
  /** Puts rows before the first one. */
  prepend(rows: readonly Row[]): void;
  /** Begins the list again with a first page that was fetched otherwise. */
  restart(first: ListPage<Row>): void;
}

/** Where the rows of a list come from. It is the very same object while the list is. */
interface ListSource<Row> {
  /** The first page as it is at this moment. */
  first(): Promise<ListPage<Row>>;
  idOf(row: Row): string;
}

export interface FilteredList<Row> {
  list: PagedList<Row>;
  source: ListSource<Row>;
  /** Which list the rows on screen are of; it changes when those of another one have come. */
  shownKey: string;
  /** Every row that matches and began before a moment, in milliseconds. */
  matchingAt(now: number): MatchingRows;
}

/** Where a page is. The cursors of those before it lead back to pages that memory has dropped. */
interface PageParam {
  cursor: string | null;
  /** Rows before it. */
  offset: number;
  /** The moment at which the list began: all its pages are of one range of time. */
  begun: number;
  previous: PageParam | null;
}

type Pages<Row> = InfiniteData<ListPage<Row>, PageParam>;

const PAGES_MAX = 20;
/** The next page is fetched this many rows before its first. */
const AHEAD = 120;
/** How often at most the page around the rows learns which are seen. */
const SHOWN_MS = 1_000;

const firstParam = (): PageParam => ({ cursor: null, offset: 0, begun: Date.now(), previous: null });

/** A list of any length by the filters of the address, read in pages by cursor as far as somebody scrolls. */
export function useFilteredList<Row>(request: ListRequest<Row>): FilteredList<Row> {
  const client = useQueryClient();
  const identity = JSON.stringify([request.name, request.filters]);
  // oxlint-disable-next-line react/exhaustive-deps -- the identity is the text of the filters
  const { queryKey, fetchPage, source, matchingAt } = useMemo(() => listOf(request), [identity]);
  const query = useInfiniteQuery<ListPage<Row>, Error, Pages<Row>, QueryKey, PageParam>({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: firstParam(),
    getNextPageParam: ({ rows, next }, _pages, { offset, begun }, params) =>
      next === null ? null : { cursor: next, offset: offset + rows.length, begun, previous: params.at(-1)! },
    getPreviousPageParam: (_page, _pages, { previous }) => previous,
    maxPages: PAGES_MAX,
    // Who listens to events says what changed; a page that was fetched again would move rows.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    placeholderData: (before: Pages<Row> | undefined) => before,
  });
  const { data, isPlaceholderData: isOther } = query;
  const start = isOther ? 0 : (data?.pageParams[0]?.offset ?? 0);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const length = start + rows.length;

  const range = useRef({ first: 0, last: 0 });
  const readAround = useLatest(() => {
    const { first, last } = range.current;
    if (data === undefined || isOther || query.isError || client.isFetching({ queryKey, exact: true }) > 0) return;
    if (last < start) void readFrom(paramAt(data.pageParams[0]!, first));
    else if (first < start) void query.fetchPreviousPage();
    else if (last >= length - AHEAD && query.hasNextPage) void query.fetchNextPage();
  });
  /** Leaves the pages in memory for one that is far from them. */
  const readFrom = async (param: PageParam): Promise<void> => {
    const page = await client.fetchQuery({ queryKey: [...queryKey, param.cursor], queryFn: () => fetchPage(param) });
    client.setQueryData<Pages<Row>>(queryKey, { pages: [page], pageParams: [param] });
  };
  useEffect(() => readAround(), [readAround, data, isOther, query.isError]);
  // Scrolling draws rows, not the page around them.
  const [, setShownRange] = useState(range.current);
  const showRange = useSpaced(() => setShownRange(range.current), SHOWN_MS);
  const onVisible = useCallback(
    (from: number, to: number) => {
      range.current = { first: from, last: to };
      readAround();
      showRange();
    },
    [readAround, showRange],
  );

  const [first, setFirst] = useState<{ identity: string; page: ListPage<Row> | undefined }>({
    identity,
    page: undefined,
  });
  const firstPage = isOther || start > 0 ? undefined : data?.pages[0];
  if (first.identity !== identity || (firstPage !== undefined && firstPage !== first.page))
    setFirst({ identity, page: firstPage });
  const [shownKey, setShownKey] = useState(identity);
  const isWaiting = query.isPending || isOther;
  if (shownKey !== identity && !isWaiting) setShownKey(identity);

  const changePages = (change: (page: ListPage<Row>, at: number) => ListPage<Row>): void => {
    client.setQueryData<Pages<Row>>(queryKey, (before) => before && { ...before, pages: before.pages.map(change) });
  };
  const rowAt = (index: number): Row | undefined => rows[index - start];
  const list: PagedList<Row> = {
    length,
    isComplete: isOther || data?.pages.at(-1)?.next === null,
    rowAt,
    keyAt: (index) => {
      const row = rowAt(index);
      return row === undefined ? `row ${index}` : source.idOf(row);
    },
    onVisible,
    visibleRows: () =>
      rows.slice(Math.max(0, range.current.first - start), Math.max(0, range.current.last + 1 - start)),
    readRows: rows,
    firstPage: firstPage ?? (first.identity === identity ? first.page : undefined),
    isWaiting,
    error: query.error,
    refetch: () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
    changeRows: (change) => changePages((page) => changePage(page, change)),
    prepend: (more) => changePages((page, at) => (at === 0 ? { ...page, rows: [...more, ...page.rows] } : page)),
    restart: (fresh) => {
      client.setQueryData<Pages<Row>>(queryKey, { pages: [fresh], pageParams: [firstParam()] });
      range.current = { first: 0, last: 0 };
    },
  };
  return { list, source, shownKey, matchingAt };
}

function listOf<Row>(request: ListRequest<Row>) {
  const { name, filters, operation, path, idOf, queryAt = () => filters as Query } = request;
  const read: NonNullable<ListRequest<Row>['fetch']> =
    request.fetch ??
    ((query, cursor, signal) => listPage<Row>(operation, { ...(path && { path }), query, cursor, signal }));
  const fetchPage = ({ cursor, begun }: PageParam, signal?: AbortSignal): Promise<ListPage<Row>> =>
    read(queryAt(begun), cursor, signal);
  const source: ListSource<Row> = { first: () => fetchPage(firstParam()), idOf };
  const matchingAt = (now: number): MatchingRows => {
    const query = queryAt(now);
    // Datapoints are of no time; what comes later stands before those that are read.
    const until = operation === 'listDatapoints' ? undefined : (query['until'] ?? new Date(now).toISOString());
    return { operation, ...(path && { path }), query: { ...query, preview: undefined, until } };
  };
  return { queryKey: [name, 'page', filters] as const, fetchPage, source, matchingAt };
}

/** The page before this one that has a row, or begins the list. */
function paramAt(from: PageParam, row: number): PageParam {
  let param = from;
  while (param.offset > row && param.previous !== null) param = param.previous;
  return param;
}

function changePage<Row>(page: ListPage<Row>, change: (row: Row) => Row | null): ListPage<Row> {
  const rows = page.rows.map(change).filter((row) => row !== null);
  const isSame = rows.length === page.rows.length && rows.every((row, at) => row === page.rows[at]);
  return isSame ? page : { ...page, rows };
}

/** What a grid is given of a list. */
export const gridRows = <Row>({ length, isComplete, rowAt, keyAt, onVisible }: PagedList<Row>) => ({
  length,
  isComplete,
  rowAt,
  keyAt,
  onVisible,
});

const NO_FILTERS = {};

/** Name of the list that every change of what is administered adds to. */
export const AUDIT_LOG = 'audit log';

/**
 * A list of what is administered, and what reads it again after a change: no event reports these.
 * @param name of the list, and what the notification says could not be read.
 */
export function useAdministeredList<Row extends { id: string }>(name: string, operation: ListId, orgId?: string) {
  const { list, source } = useFilteredList<Row>({
    name,
    filters: NO_FILTERS,
    operation,
    ...(orgId !== undefined && { path: { id: orgId } }),
    idOf: ({ id }) => id,
  });
  const client = useQueryClient();
  const reread = async (): Promise<void> => {
    void client.invalidateQueries({ queryKey: [AUDIT_LOG] });
    try {
      list.restart(await source.first());
    } catch (error) {
      notifyError(`The ${name} could not be reloaded`, error as Error);
    }
  };
  return { list, reread };
}
