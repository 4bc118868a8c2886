import type { LiveEvent } from '../../live/live-event.js';

/** When an event happened, by what it carries, in milliseconds since 1970; `null` where it carries no time. */
export function timeOfEvent(event: LiveEvent): number | null {
  const text = timestampOf(event);
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

function timestampOf(event: LiveEvent): string | null {
  switch (event.type) {
    case 'span_created':
      return event.span.started_at;
    case 'span_completed':
    case 'span_failed':
      return event.span.ended_at;
    case 'trace_created':
      return event.trace.started_at;
    case 'dataset_created':
      return event.dataset.created_at;
    case 'datapoint_created':
      return event.datapoint.created_at;
    case 'queue_item_updated':
      return event.item.status === 'claimed' ? event.item.claimed_at : null;
    default:
      return null;
  }
}
