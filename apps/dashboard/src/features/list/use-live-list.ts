import { useCallback, useEffect, useRef, useState } from 'react';
import { PAGE_ROWS, type ListPage } from '../../api/list-page.js';
import {
  countNew,
  nextRequest,
  NOTHING,
  planAfter,
  planFor,
  type HeldRows,
  type ReadNews,
  type LivePlan,
  type ShownList,
} from './list-rules.js';
import type { LiveEvent } from '../../live/live-event.js';
import { useLiveBatches } from '../../live/live-updates.js';
import type { FilteredList } from './use-paged-list.js';

/** A first page to which more rows came by their events is started again. */
const FIRST_PAGE_MAX = 2 * PAGE_ROWS;

/** How a list is kept up to date. */
interface LiveRules<Row> {
  read: ReadNews;
  /** Rows as they are now, of two hundred ids at most. */
  byIds(ids: readonly string[]): Promise<readonly Row[]>;
  /**
   * New rows as events report them, newest first; left out where only the server can say which rows are new and where they stand.
   * @param known ids of the rows there are.
   */
  arrivals?: ((events: readonly LiveEvent[], known: ReadonlySet<string>) => Row[]) | undefined;
  /** Counts again. */
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

/** Requests of one tab come this far apart at least. */
const BETWEEN_MS = 1_250;

/** A list that events change. */
interface PlannedRequests {
  read: ReadNews;
  betweenMs: number | undefined;
  isLive: boolean;
  /** Which list it is: another one may come from memory. */
  source: object;
  /** Whether the list was read before, and may have missed something since. */
  isListRead(): boolean;
  /** The list as it is on screen; stays the same function. */
  shownList(): ShownList;
  /** Asks for rows by their ids, or for the first page; stays the same function. */
  ask(ids: readonly string[] | null): Promise<void>;
  onDeleted(ids: ReadonlySet<string>): void;
}

/** Gathers what happens and asks for what it changed, one request at a time. */
function usePlannedRequests(given: PlannedRequests): void {
  const { source, shownList, ask, betweenMs = BETWEEN_MS } = given;
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  });
  const plan = useRef<LivePlan>(NOTHING);
  const before = useRef<'first-page' | 'rows'>('rows');
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const lastAt = useRef(-Infinity);

  const work = useCallback((): void => {
    timer.current = null;
    const shown = shownList();
    const request = nextRequest(plan.current, shown, before.current);
    if (request === null) {
      plan.current = { ...NOTHING, changed: plan.current.changed };
      return;
    }
    plan.current = planAfter(plan.current, request, shown);
    before.current = request.kind;
    lastAt.current = performance.now();
    const again = (): void => {
      timer.current ??= setTimeout(work, betweenMs);
    };
    // What failed is asked for again with what happens next; the status of the connection says that something is wrong.
    ask(request.kind === 'rows' ? request.ids.slice(0, PAGE_ROWS) : null).then(again, again);
  }, [ask, shownList, betweenMs]);

  const schedule = useCallback((): void => {
    timer.current ??= setTimeout(work, Math.max(0, lastAt.current + betweenMs - performance.now()));
  }, [work, betweenMs]);

  useLiveBatches((batch) => {
    if (!given.isLive) return;
    plan.current = planFor(plan.current, batch, given.read);
    const { deleted } = plan.current;
    if (deleted.size > 0) given.onDeleted(deleted);
    schedule();
  });
  // Rows that changed out of sight may have come into view.
  useEffect(() => {
    if (plan.current.changed.size > 0) schedule();
  });
  useEffect(() => {
    // A list that comes back from memory may have missed something.
    const isListRead = latest.current.isListRead();
    plan.current = isListRead ? { ...NOTHING, hasMissed: true } : NOTHING;
    if (isListRead) timer.current = setTimeout(work, betweenMs);
    return () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    };
  }, [source, work, betweenMs]);
}

/** What a list has whose rows nobody adds or deletes while it is read. */
export const NOT_LIVE: LiveList = {
  held: null,
  show: () => undefined,
  deleted: new Set(),
  onTouched: () => undefined,
};
