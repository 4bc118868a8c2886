import type { LiveNews } from '../../features/live-list/live-news.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What an event says of the list of traces. */
export function traceNews(event: LiveEvent): LiveNews {
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
