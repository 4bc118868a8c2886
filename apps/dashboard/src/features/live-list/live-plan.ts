import type { LiveBatch } from '../../live/live-event.js';
import type { ReadNews } from './live-news.js';

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
export function planFor(plan: LivePlan, { events, hasMissed }: LiveBatch, read: ReadNews): LivePlan {
  const news = events.map(read);
  const changed = new Set([...plan.changed, ...news.flatMap((one) => one.changed ?? [])]);
  const isTooMany = changed.size > CHANGED_MAX;
  return {
    changed: isTooMany ? new Set() : changed,
    deleted: new Set([...plan.deleted, ...news.flatMap((one) => one.deleted ?? [])]),
    hasNew: plan.hasNew || news.some((one) => one.hasNew === true),
    isCleared: plan.isCleared || news.some((one) => one.isCleared === true),
    hasMissed: plan.hasMissed || hasMissed || isTooMany || news.some((one) => one.hasMissed === true),
  };
}

/** The request that comes next. */
export type NextRequest = { kind: 'first-page' } | { kind: 'rows'; ids: string[] } | null;

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
