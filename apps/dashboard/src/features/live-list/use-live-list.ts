import { useCallback, useEffect, useRef, useState } from 'react';
import { PAGE_ROWS, type ListPage } from '../../api/list-page.js';
import { countNew, type HeldRows } from '../../live/held-rows.js';
import type { LiveEvent } from '../../live/live-event.js';
import { useLiveBatches } from '../../live/live-updates.js';
import type { FilteredList } from '../paged-list/use-filtered-list.js';
import type { ReadNews } from './live-news.js';
import { usePlannedRequests } from './use-planned-requests.js';

/** A first page to which more rows came by their events is begun anew. */
const FIRST_PAGE_MAX = 2 * PAGE_ROWS;

/** How a list is kept up to date. */
export interface LiveRules<Row> {
  read: ReadNews;
  /** Rows as they are now, of two hundred ids at most. */
  byIds(ids: readonly string[]): Promise<readonly Row[]>;
  /**
   * New rows as events tell them, newest first; left out where only the server can say which rows are new and where they stand.
   * @param known ids of the rows there are.
   */
  arrivals?: ((events: readonly LiveEvent[], known: ReadonlySet<string>) => Row[]) | undefined;
  /** Counts anew. */
  recount(): void;
  /** Milliseconds between two requests at least. */
  betweenMs?: number;
}

export interface LiveList {
  /** Rows that came while someone reads; `null` where there are none. */
  held: HeldRows | null;
  /** Shows them. */
  show(): void;
  /** Ids of what somebody deleted: rows on screen, or what they belong to. */
  deleted: ReadonlySet<string>;
  onTouched(isTouched: boolean): void;
}

/**
 * Keeps a list up to date without moving what is read: rows change in place, new ones come in where the list is
 * at its top and untouched, and wait elsewhere.
 */
export function useLiveList<Row>(
  { list, source }: FilteredList<Row>,
  rules: LiveRules<Row>,
  isLive: boolean,
): LiveList {
  const [fresh, setFresh] = useState<{ page: ListPage<Row>; held: HeldRows | null } | null>(null);
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const isTouched = useRef(false);
  const latest = useRef({ list, source, rules });
  useEffect(() => {
    latest.current = { list, source, rules };
  });
  useEffect(() => {
    setFresh(null);
  }, [source]);

  const firstIds = useCallback(() => {
    const { list: shown, source: asked } = latest.current;
    return new Set((shown.firstPage?.rows ?? []).map((row) => asked.idOf(row)));
  }, []);
  const restart = useCallback((page: ListPage<Row>) => {
    latest.current.source.begin();
    latest.current.list.restart(page);
    latest.current.rules.recount();
    setFresh(null);
    const there = new Set(page.rows.map((row) => latest.current.source.idOf(row)));
    setDeleted((gone) => (gone.isDisjointFrom(there) ? gone : gone.difference(there)));
  }, []);
  const takeFirstPage = useCallback(
    (page: ListPage<Row>) => {
      const { list: shownList, source: asked } = latest.current;
      shownList.changeRows(byId(page.rows, asked.idOf));
      const shown = firstIds();
      const ids = page.rows.map((row) => asked.idOf(row));
      const held = countNew(shown, ids, page.next !== null);
      const isFull = shown.size >= PAGE_ROWS && shown.size <= FIRST_PAGE_MAX;
      const isSame = held.count === 0 && (shown.size === ids.length || isFull);
      if (!isTouched.current || shown.size === 0) {
        if (!isSame) restart(page);
      } else {
        // Rows that are gone go when the reader does; new ones wait for their button.
        setFresh(isSame ? null : { page, held: held.count > 0 ? held : null });
      }
    },
    [restart, firstIds],
  );
  const ask = useCallback(
    async (ids: readonly string[] | null): Promise<void> => {
      const { source: asked, rules: asking } = latest.current;
      if (ids !== null) {
        latest.current.list.changeRows(byId(await asking.byIds(ids), asked.idOf));
        return;
      }
      const page = await asked.first();
      if (latest.current.source === asked) takeFirstPage(page);
    },
    [takeFirstPage],
  );
  const shownList = useCallback(() => {
    const { list: shown, source: asked, rules: followed } = latest.current;
    const firstPage = firstIds();
    return {
      visible: shown.visibleRows().map((row) => asked.idOf(row)),
      firstPage,
      isFollowed: followed.arrivals !== undefined && !isTouched.current && firstPage.size <= FIRST_PAGE_MAX,
    };
  }, [firstIds]);
  usePlannedRequests({
    read: rules.read,
    betweenMs: rules.betweenMs,
    isLive,
    source,
    isListRead: () => list.firstPage !== undefined,
    shownList,
    ask,
    onDeleted: (ids) => setDeleted((gone) => new Set([...gone, ...ids])),
  });
  useLiveBatches(({ events }) => {
    if (!isLive || list.firstPage === undefined || rules.arrivals === undefined || !shownList().isFollowed) return;
    const arrived = rules.arrivals(events, firstIds());
    if (arrived.length === 0) return;
    list.prepend(arrived);
    rules.recount();
  });
  return {
    held: fresh?.held ?? null,
    show: () => fresh && restart(fresh.page),
    deleted,
    onTouched: useCallback(
      (touched: boolean) => {
        isTouched.current = touched;
        if (!touched && fresh !== null && fresh.held === null) restart(fresh.page);
      },
      [fresh, restart],
    ),
  };
}

function byId<Row>(rows: readonly Row[], idOf: (row: Row) => string): (row: Row) => Row {
  const found = new Map(rows.map((row) => [idOf(row), row]));
  return (row) => found.get(idOf(row)) ?? row;
}
