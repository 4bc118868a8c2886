import { formatCount, formatCounted } from '@spandrel/contract/browser';
import type { LiveEvent, LiveBatch } from '../../live/live-event.js';
import type { PagedList } from './use-paged-list.js';

/** What an event says of the rows of a list; what it does not name it says nothing of. */
export interface RowChanges {
  /** Rows that changed, by their ids. */
  changed?: readonly string[];
  /** What is gone: rows, or what rows belong to. */
  deleted?: readonly string[];
  /** Whether there may be rows that the list does not have. */
  hasNew?: boolean;
  /** Whether everything is gone. */
  isCleared?: boolean;
  /** Whether anything may have changed, and it does not say what. */
  hasMissed?: boolean;
}

export type ReadChanges = (event: LiveEvent) => RowChanges;

/** What is to be asked for because of what happened. */
export interface LivePlan {
  /** Whether there may be rows that the list does not have. */
  hasNew: boolean;
  /** Rows that changed, or may have, by their ids. */
  changed: ReadonlySet<string>;
  /** Ids of what is gone: rows, or what rows belong to. */
  deleted: ReadonlySet<string>;
  /** Whether everything was deleted. */
  isCleared: boolean;
  /** Whether anything may have changed. */
  hasMissed: boolean;
}

export const NOTHING: LivePlan = {
  hasNew: false,
  changed: new Set(),
  deleted: new Set(),
  isCleared: false,
  hasMissed: false,
};

/** Changed rows that are remembered until they are looked at; beyond, anything may have changed. */
const CHANGED_MAX = 5_000;

/** The plan with what a batch of events adds to it. @param read says what an event means for the list. */
export function planFor(plan: LivePlan, { events, hasMissed }: LiveBatch, read: ReadChanges): LivePlan {
  const changes = events.map(read);
  const changed = new Set([...plan.changed, ...changes.flatMap((one) => one.changed ?? [])]);
  const isTooMany = changed.size > CHANGED_MAX;
  return {
    changed: isTooMany ? new Set() : changed,
    deleted: new Set([...plan.deleted, ...changes.flatMap((one) => one.deleted ?? [])]),
    hasNew: plan.hasNew || changes.some((one) => one.hasNew === true),
    isCleared: plan.isCleared || changes.some((one) => one.isCleared === true),
    hasMissed: plan.hasMissed || hasMissed || isTooMany || changes.some((one) => one.hasMissed === true),
  };
}

type NextRequest = { kind: 'first-page' } | { kind: 'rows'; ids: string[] } | null;

/** The list as it is when a request is due. */
export interface ShownList {
  /** Ids of the rows on screen. */
  visible: readonly string[];
  /** Ids of the first page, which one request brings up to date together. */
  firstPage: ReadonlySet<string>;
  /** Whether new rows come into the list by their events alone, so that nobody need ask for them. */
  isFollowed: boolean;
}

/**
 * Which request a plan needs first.
 * @param before kind of the request before this one: when both are needed they take turns.
 */
export function nextRequest(plan: LivePlan, list: ShownList, before: 'first-page' | 'rows'): NextRequest {
  const stale = staleRows(plan, list);
  const needsFirst = needsFirstPage(plan, list);
  if (stale.length > 0 && (!needsFirst || before === 'first-page')) return { kind: 'rows', ids: stale };
  return needsFirst ? { kind: 'first-page' } : null;
}

/** What is left of a plan once a request has been sent: rows that changed are remembered until they are on screen. */
export function planAfter(plan: LivePlan, request: NonNullable<NextRequest>, list: ShownList): LivePlan {
  const isDone =
    request.kind === 'rows' ? (id: string) => request.ids.includes(id) : (id: string) => list.firstPage.has(id);
  const changed = [...plan.changed].filter((id) => !isDone(id));
  if (request.kind === 'rows') return { ...plan, changed: new Set(changed) };
  return { ...NOTHING, changed: new Set([...changed, ...(plan.hasMissed ? staleRows(plan, list) : [])]) };
}

/** Rows on screen that may have changed and that no other request brings up to date. */
function staleRows(plan: LivePlan, { visible, firstPage, isFollowed }: ShownList): string[] {
  return visible.filter(
    (id) => (plan.hasMissed || plan.changed.has(id)) && (!firstPage.has(id) || (isFollowed && !plan.hasMissed)),
  );
}

function needsFirstPage(plan: LivePlan, { firstPage, isFollowed }: ShownList): boolean {
  if (plan.hasMissed || plan.isCleared) return true;
  return !isFollowed && (plan.hasNew || [...plan.changed].some((id) => firstPage.has(id)));
}

/** Rows that came and are not shown yet. */
export interface PendingRows {
  count: number;
  /** Whether there are more than were counted. */
  isMore: boolean;
}

/**
 * Counts the rows at the beginning of a list that are not on screen.
 * @param shown ids of the rows that are.
 * @param fresh ids of the first page as it is now; what comes behind the last one that is shown belongs to the next page.
 * @param hasMore whether the fresh page is not the last one.
 */
export function countNew(shown: ReadonlySet<string>, fresh: readonly string[], hasMore: boolean): PendingRows {
  const lastShown = fresh.findLastIndex((id) => shown.has(id));
  if (lastShown === -1) return { count: fresh.length, isMore: hasMore && fresh.length > 0 };
  const count = fresh.slice(0, lastShown).filter((id) => !shown.has(id)).length;
  return { count, isMore: false };
}

/** The words of the button above a list: `1 new trace`, `12 new traces`, `200+ new traces`. */
export function describePending({ count, isMore }: PendingRows, one: string): string {
  return `${count}${isMore ? '+' : ''} new ${one}${count === 1 && !isMore ? '' : 's'}`;
}

/**
 * How many rows a list has: `2,013 traces`, `10,000+ traces`; `''` for one that could not be loaded.
 * @param counted what the server counted; `undefined` while it does, `null` where nobody asked it.
 */
export function describeCount(
  list: Pick<PagedList<unknown>, 'length' | 'isComplete' | 'isWaiting'>,
  counted: { count: number; exact: boolean } | null | undefined,
  one: string,
): string {
  if (list.isComplete && !list.isWaiting) return formatCounted(list.length, one);
  // What could not be loaded has no number.
  if (list.length === 0 && !list.isWaiting) return '';
  if (counted === undefined || list.isWaiting) return `Counting ${one}s`;
  // Rows that came after the count are not in it.
  if (counted === null || counted.count < list.length) return `${formatCount(list.length)}+ ${one}s`;
  return counted.exact ? formatCounted(counted.count, one) : `${formatCount(counted.count)}+ ${one}s`;
}
