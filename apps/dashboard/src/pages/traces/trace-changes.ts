import type { TraceListItem, TraceResource } from '@spandrel/contract';
import type { RowChanges } from '../../features/list/list-rules.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What an event says of the list of traces. */
export function traceChanges(event: LiveEvent): RowChanges {
  // A filter may begin to match, or stop, whenever a trace changes.
  if ('span' in event) return { changed: [event.span.trace_id], hasNew: true };
  switch (event.type) {
    case 'trace_created':
      return { hasNew: true };
    case 'trace_deleted':
      return { deleted: [event.trace_id] };
    case 'cleared':
      return { isCleared: true };
    // A span that is gone does not say of which trace it was.
    case 'span_deleted':
      return { hasMissed: true };
    default:
      return {};
  }
}

/** Rows for the traces that events report, newest first. @param known ids of the rows there are. */
export function newTraces(events: readonly LiveEvent[], known: ReadonlySet<string>): TraceListItem[] {
  const rows = new Map<string, TraceListItem>();
  for (const event of events) {
    if (event.type === 'trace_created' && !known.has(event.trace.id)) rows.set(event.trace.id, rowOf(event.trace));
    if (event.type === 'trace_deleted') rows.delete(event.trace_id);
    if (event.type === 'cleared') rows.clear();
  }
  return [...rows.values()].toReversed();
}

/** A trace without spans, which it is until the next answer of the server says more. */
function rowOf(trace: TraceResource): TraceListItem {
  return {
    ...trace,
    status: 'running',
    span_count: 0,
    error_count: 0,
    total_tokens: 0,
    total_cost: null,
    unpriced_count: 0,
    duration_ms: null,
    models: [],
  };
}
