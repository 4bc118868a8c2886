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

/** The plan with what a batch of events adds to it. */
export function planFor(plan: LivePlan, { events, hasMissed }: LiveBatch): LivePlan {
  const changed = new Set(plan.changed);
  const deleted = new Set(plan.deleted);
  for (const event of events) {
    if ('span' in event) changed.add(event.span.trace_id);
    if (event.type === 'trace_deleted') deleted.add(event.trace_id);
  }
  return {
    changed,
    deleted,
    hasNew: plan.hasNew || events.some(isOfNewTrace),
    isCleared: plan.isCleared || events.some(({ type }) => type === 'cleared'),
    // A span that is gone does not say of which trace it was.
    hasMissed: plan.hasMissed || hasMissed || events.some(({ type }) => type === 'span_deleted'),
  };
}

/** A filter may begin to match, or stop, whenever a trace changes. */
function isOfNewTrace(event: LiveEvent): boolean {
  return event.type === 'trace_created' || 'span' in event;
}

/** The request that comes next: one a second at most. */
export type NextRequest = { kind: 'first-page' } | { kind: 'rows'; ids: string[] } | null;

/**
 * Which request a plan needs first.
 * @param visible ids of the rows on screen.
 * @param firstPage ids of the first page, which one request brings up to date together.
 * @param before kind of the request before this one: when both are needed they take turns.
 */
export function nextRequest(
  plan: LivePlan,
  visible: readonly string[],
  firstPage: ReadonlySet<string>,
  before: 'first-page' | 'rows',
): NextRequest {
  const stale = visible.filter((id) => !firstPage.has(id) && (plan.hasMissed || plan.changed.has(id)));
  const needsFirst =
    plan.hasNew || plan.hasMissed || plan.isCleared || [...plan.changed].some((id) => firstPage.has(id));
  if (stale.length > 0 && (!needsFirst || before === 'first-page')) return { kind: 'rows', ids: stale };
  return needsFirst ? { kind: 'first-page' } : null;
}

/** What is left of a plan once a request has been sent. */
export function planAfter(
  plan: LivePlan,
  request: NonNullable<NextRequest>,
  visible: readonly string[],
  firstPage: ReadonlySet<string>,
): LivePlan {
  if (request.kind === 'rows') {
    return { ...plan, changed: new Set([...plan.changed].filter((id) => !request.ids.includes(id))) };
  }
  const beyond = visible.filter((id) => !firstPage.has(id) && (plan.hasMissed || plan.changed.has(id)));
  return { ...NOTHING, changed: new Set(beyond) };
}
