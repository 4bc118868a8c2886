import type { TraceListItem } from '@spandrel/contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { listTraces, PAGE_ROWS, tracesByIds, type TracePage } from '../../api/traces.js';
import { countNew, type HeldRows } from '../../live/held-rows.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { arrivedTraces } from './arrived-traces.js';
import { nextRequest, NOTHING, planAfter, planFor, type LivePlan } from './live-plan.js';
import type { ListedTraces } from './use-trace-list.js';

/** Requests of one tab come this far apart at least. */
const BETWEEN_MS = 1_250;
/** A first page to which more rows came by their events is begun anew. */
const FIRST_PAGE_MAX = 2 * PAGE_ROWS;

export interface LiveTraces {
  /** Traces that came while someone reads; `null` where there are none. */
  held: HeldRows | null;
  /** Shows them. */
  show(): void;
  /** Ids of rows on screen that were deleted by somebody. */
  deleted: ReadonlySet<string>;
  onTouched(isTouched: boolean): void;
}

/**
 * Keeps a list of traces up to date without moving what is read: rows change in place, new ones come in where the list is
 * at its top and untouched, and wait elsewhere.
 */
export function useLiveTraces({ list, source, recount }: ListedTraces, isLive: boolean): LiveTraces {
  const [fresh, setFresh] = useState<{ page: TracePage; held: HeldRows } | null>(null);
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const isTouched = useRef(false);
  const latest = useRef({ list, source, recount });
  useEffect(() => {
    latest.current = { list, source, recount };
  });
  useEffect(() => {
    setFresh(null);
    setDeleted(new Set());
  }, [source]);

  const restart = useCallback((page: TracePage) => {
    latest.current.source.begin();
    latest.current.list.restart(page);
    latest.current.recount();
    setFresh(null);
    setDeleted((gone) => (gone.size === 0 ? gone : new Set()));
  }, []);
  const takeFirstPage = useCallback(
    (page: TracePage) => {
      const { list: shownList } = latest.current;
      shownList.changeRows(byId(page.rows));
      const shown = new Set((shownList.firstPage?.rows ?? []).map(({ id }) => id));
      const ids = page.rows.map(({ id }) => id);
      const held = countNew(shown, ids, page.next !== null);
      const isFull = shown.size >= PAGE_ROWS && shown.size <= FIRST_PAGE_MAX;
      const isSame = held.count === 0 && (shown.size === ids.length || isFull);
      if (!isTouched.current || shown.size === 0) {
        if (!isSame) restart(page);
      } else {
        setFresh(held.count > 0 ? { page, held } : null);
      }
    },
    [restart],
  );
  const ask = useCallback(
    async (ids: readonly string[] | null): Promise<void> => {
      const { source: asked } = latest.current;
      if (ids !== null) {
        const rows = await tracesByIds(ids, asked.preview);
        latest.current.list.changeRows(byId(rows));
        return;
      }
      const page = await listTraces(asked.query(), null);
      if (latest.current.source === asked) takeFirstPage(page);
    },
    [takeFirstPage],
  );
  const isFollowed = useCallback(() => {
    // Whether a filter matches only the server can say.
    const isUnfiltered = Object.keys(latest.current.source.filters).every((name) => name === 'range');
    return isUnfiltered && !isTouched.current && (latest.current.list.firstPage?.rows.length ?? 0) <= FIRST_PAGE_MAX;
  }, []);
  usePlannedRequests(latest, isLive, isFollowed, ask, setDeleted);
  useLiveBatches(({ events }) => {
    const { list: shownList, recount: count } = latest.current;
    if (!isLive || !isFollowed() || shownList.firstPage === undefined) return;
    const arrived = arrivedTraces(events, new Set(shownList.firstPage.rows.map(({ id }) => id)));
    if (arrived.length === 0) return;
    shownList.prepend(arrived);
    count();
  });
  return {
    held: fresh?.held ?? null,
    show: () => fresh && restart(fresh.page),
    deleted,
    onTouched: useCallback((touched: boolean) => {
      isTouched.current = touched;
    }, []),
  };
}

interface LatestList {
  readonly current: Pick<ListedTraces, 'list'>;
}

/** Gathers what happens and asks for what it changed, one request at a time. */
function usePlannedRequests(
  latest: LatestList,
  isLive: boolean,
  isFollowed: () => boolean,
  ask: (ids: readonly string[] | null) => Promise<void>,
  setDeleted: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void,
): void {
  const plan = useRef<LivePlan>(NOTHING);
  const before = useRef<'first-page' | 'rows'>('rows');
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const lastAt = useRef(-Infinity);

  const work = useCallback((): void => {
    timer.current = null;
    const { list } = latest.current;
    const shown = {
      visible: list.visibleRows().map(({ id }) => id),
      firstPage: new Set((list.firstPage?.rows ?? []).map(({ id }) => id)),
      isFollowed: isFollowed(),
    };
    const request = nextRequest(plan.current, shown, before.current);
    if (request === null) {
      plan.current = { ...NOTHING, changed: plan.current.changed };
      return;
    }
    plan.current = planAfter(plan.current, request, shown);
    before.current = request.kind;
    lastAt.current = performance.now();
    const again = (): void => {
      timer.current ??= setTimeout(work, BETWEEN_MS);
    };
    // What failed is asked for again with what happens next; the status of the connection says that something is wrong.
    ask(request.kind === 'rows' ? request.ids.slice(0, PAGE_ROWS) : null).then(again, again);
  }, [ask, latest, isFollowed]);

  const schedule = useCallback((): void => {
    timer.current ??= setTimeout(work, Math.max(0, lastAt.current + BETWEEN_MS - performance.now()));
  }, [work]);

  useLiveBatches((batch) => {
    if (!isLive) return;
    plan.current = planFor(plan.current, batch);
    const { deleted } = plan.current;
    if (deleted.size > 0) setDeleted((gone) => new Set([...gone, ...deleted]));
    schedule();
  });
  // Rows that changed out of sight may have come into view.
  useEffect(() => {
    if (plan.current.changed.size > 0) schedule();
  });
  useEffect(() => {
    // A list that comes back from memory may have missed something.
    if (latest.current.list.firstPage !== undefined) {
      plan.current = { ...NOTHING, hasMissed: true };
      timer.current = setTimeout(work, BETWEEN_MS);
    }
    return () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    };
  }, [latest, work]);
}

function byId(rows: readonly TraceListItem[]): (row: TraceListItem) => TraceListItem {
  const found = new Map(rows.map((row) => [row.id, row]));
  return (row) => found.get(row.id) ?? row;
}
