import { useCallback, useEffect, useRef } from 'react';
import { PAGE_ROWS } from '../../api/list-page.js';
import { useLiveBatches } from '../../live/live-updates.js';
import type { ReadNews } from './live-news.js';
import { nextRequest, NOTHING, planAfter, planFor, type LivePlan, type ShownList } from './live-plan.js';

/** Requests of one tab come this far apart at least. */
const BETWEEN_MS = 1_250;

/** A list that events change. */
export interface PlannedRequests {
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
export function usePlannedRequests(given: PlannedRequests): void {
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
