import type { LiveBatch, LiveEvent } from '../../live/live-event.js';

/** What is to be asked for because of what happened. */
export interface LivePlan {
  /** Whether there may be traces that the list does not have. */
  hasNew: boolean;
  /** Traces that changed, or may have. */
  changed: ReadonlySet<string>;
  /** Traces that are gone. */
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

/** Changed traces that are remembered until they are looked at; beyond, anything may have changed. */
const CHANGED_MAX = 5_000;

/** The plan with what a batch of events adds to it. */
export function planFor(plan: LivePlan, { events, hasMissed }: LiveBatch): LivePlan {
  const changed = new Set(plan.changed);
  const deleted = new Set(plan.deleted);
  for (const event of events) {
    if ('span' in event) changed.add(event.span.trace_id);
    if (event.type === 'trace_deleted') deleted.add(event.trace_id);
  }
  const isTooMany = changed.size > CHANGED_MAX;
  return {
    changed: isTooMany ? new Set() : changed,
    deleted,
    hasNew: plan.hasNew || events.some(isOfNewTrace),
    isCleared: plan.isCleared || events.some(({ type }) => type === 'cleared'),
    // A span that is gone does not say of which trace it was.
    hasMissed: plan.hasMissed || hasMissed || isTooMany || events.some(({ type }) => type === 'span_deleted'),
  };
}

/** A filter may begin to match, or stop, whenever a trace changes. */
function isOfNewTrace(event: LiveEvent): boolean {
  return event.type === 'trace_created' || 'span' in event;
}

/** The request that comes next. */
export type NextRequest = { kind: 'first-page' } | { kind: 'rows'; ids: string[] } | null;

/** The list as it is when a request is due. */
export interface ShownList {
  /** Ids of the rows on screen. */
  visible: readonly string[];
  /** Ids of the first page, which one request brings up to date together. */
  firstPage: ReadonlySet<string>;
  /** Whether new traces come into the list by their events alone, so that nobody need ask for them. */
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
