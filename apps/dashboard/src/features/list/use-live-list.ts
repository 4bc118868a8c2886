import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ListPage } from '../../api/api.js';
import { PAGE_ROWS } from '../../api/page-rows.js';
import type { LiveEvent } from '../../live/live-event.js';
import { useLiveBatches } from '../../live/live-updates.js';
import {
  countNew,
  nextRequest,
  NOTHING,
  planAfter,
  planFor,
  type LivePlan,
  type PendingRows,
  type ReadChanges,
  type ShownList,
} from './list-rules.js';
import type { FilteredList } from './use-paged-list.js';

/** A first page to which more rows came by their events is read again. */
const FIRST_PAGE_MAX = 2 * PAGE_ROWS;
/** Requests of one tab come this far apart at least. */
const BETWEEN_MS = 1_250;

interface LiveRules<Row> {
  changes: ReadChanges;
  /** Rows as they are now, of two hundred ids at most; left out where only the first page is read again. */
  byIds?(ids: readonly string[]): Promise<readonly Row[]>;
  /**
   * New rows as events have them, newest first; left out where only the server can say which rows are new and where they stand.
   * @param known ids of the rows there are.
   */
  newRows?: ((events: readonly LiveEvent[], known: ReadonlySet<string>) => Row[]) | undefined;
  /** Counts again. */
  recount?(): void;
  /** Milliseconds between two requests at least. */
  betweenMs?: number;
}

export interface LiveList {
  /** Rows that came while someone reads; `null` where there are none. */
  pendingRows: PendingRows | null;
  show(): void;
  /** Ids of what somebody deleted: rows on screen, or what they belong to. */
  deleted: ReadonlySet<string>;
  onScrolledOrSelected(isScrolledOrSelected: boolean): void;
}

/** A first page that is newer than the one on screen. */
interface FreshPage<Row> {
  source: object;
  page: ListPage<Row>;
  pendingRows: PendingRows | null;
}

/**
 * Keeps a list up to date without moving what is read: rows change in place, new ones come in where the list is
 * at its top and nobody is in it, and wait elsewhere. It asks for what events changed, one request at a time.
 */
export function useLiveList<Row>(
  { list, source }: FilteredList<Row>,
  rules: LiveRules<Row>,
  isLive: boolean,
): LiveList {
  const { byIds, newRows, recount, betweenMs = BETWEEN_MS } = rules;
  const [waiting, setFresh] = useState<FreshPage<Row> | null>(null);
  const fresh = waiting?.source === source ? waiting : null;
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const isScrolledOrSelected = useRef(false);

  const firstIds = (): Set<string> => new Set((list.firstPage?.rows ?? []).map((row) => source.idOf(row)));
  const changeRows = useEffectEvent((rows: readonly Row[]) => {
    const byId = new Map(rows.map((row) => [source.idOf(row), row]));
    list.changeRows((row) => byId.get(source.idOf(row)) ?? row);
  });
  const restart = (page: ListPage<Row>): void => {
    list.restart(page);
    recount?.();
    setFresh(null);
    const there = new Set(page.rows.map((row) => source.idOf(row)));
    setDeleted((gone) => (gone.isDisjointFrom(there) ? gone : gone.difference(there)));
  };
  const takeFirstPage = useEffectEvent((page: ListPage<Row>, asked: object) => {
    if (asked !== source || (list.firstPage === undefined && list.length > 0)) return;
    changeRows(page.rows);
    const shown = firstIds();
    const ids = page.rows.map((row) => source.idOf(row));
    const pendingRows = countNew(shown, ids, page.next !== null);
    const isFull = shown.size >= PAGE_ROWS && shown.size <= FIRST_PAGE_MAX;
    // A list that could not be read before is there now, be it empty.
    const isSame = list.firstPage !== undefined && pendingRows.count === 0 && (shown.size === ids.length || isFull);
    if (!isScrolledOrSelected.current || shown.size === 0) {
      if (!isSame) restart(page);
    } else {
      // Rows that are gone go when the reader does; new ones wait for their button.
      setFresh(isSame ? null : { source, page, pendingRows: pendingRows.count > 0 ? pendingRows : null });
    }
  });
  const ask = useEffectEvent(async (ids: readonly string[] | null): Promise<void> => {
    if (ids !== null) changeRows((await byIds?.(ids)) ?? []);
    else takeFirstPage(await source.first(), source);
  });
  const shownList = (): ShownList => {
    const firstPage = firstIds();
    return {
      visible: list.visibleRows().map((row) => source.idOf(row)),
      firstPage,
      isFollowed: newRows !== undefined && !isScrolledOrSelected.current && firstPage.size <= FIRST_PAGE_MAX,
    };
  };

  const plan = useRef<LivePlan>(NOTHING);
  const before = useRef<'first-page' | 'rows'>('rows');
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const lastAt = useRef(-Infinity);
  const work = useEffectEvent(() => {
    timer.current = null;
    const again = (): void => {
      timer.current ??= setTimeout(() => work(), betweenMs);
    };
    // What is being read for the first time may be older than what happened.
    if (list.isWaiting) return again();
    const shown = shownList();
    const request = nextRequest(plan.current, shown, before.current);
    if (request === null) {
      plan.current = { ...NOTHING, changed: plan.current.changed };
      return;
    }
    plan.current = planAfter(plan.current, request, shown);
    before.current = request.kind;
    lastAt.current = performance.now();
    // What failed is asked for again with what happens next; the status of the connection says that something is wrong.
    ask(request.kind === 'rows' ? request.ids.slice(0, PAGE_ROWS) : null).then(again, again);
  });
  const schedule = useEffectEvent(() => {
    timer.current ??= setTimeout(() => work(), Math.max(0, lastAt.current + betweenMs - performance.now()));
  });
  useLiveBatches((batch) => {
    if (!isLive) return;
    plan.current = planFor(plan.current, batch, rules.changes);
    if (plan.current.deleted.size > 0) setDeleted((gone) => gone.union(plan.current.deleted));
    // oxlint-disable-next-line react/rules-of-hooks -- what takes batches is an effect event itself
    schedule();
    if (newRows === undefined || list.firstPage === undefined || !shownList().isFollowed) return;
    const rows = newRows(batch.events, firstIds());
    if (rows.length === 0) return;
    list.prepend(rows);
    recount?.();
  });
  // Rows that changed out of sight may have come into view.
  useEffect(() => {
    if (plan.current.changed.size > 0) schedule();
  });
  const begin = useEffectEvent(() => {
    // A list that comes back from memory may have missed something.
    const isKnown = list.firstPage !== undefined;
    plan.current = isKnown ? { ...NOTHING, hasMissed: true } : NOTHING;
    if (isKnown) timer.current = setTimeout(() => work(), betweenMs);
  });
  useEffect(() => {
    begin();
    return () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    };
  }, [source]);
  return {
    pendingRows: fresh?.pendingRows ?? null,
    show: () => fresh && restart(fresh.page),
    deleted,
    onScrolledOrSelected: (isNow) => {
      isScrolledOrSelected.current = isNow;
      if (!isNow && fresh !== null && fresh.pendingRows === null) restart(fresh.page);
    },
  };
}

/** What a list has whose rows nobody adds or deletes while it is read. */
export const NOT_LIVE: LiveList = {
  pendingRows: null,
  show: () => undefined,
  deleted: new Set(),
  onScrolledOrSelected: () => undefined,
};
