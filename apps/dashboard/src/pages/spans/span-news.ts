import type { LiveNews } from '../../features/live-list/live-news.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What an event says of the list of spans. A deleted trace takes its spans along, by the trace's id. */
export function spanNews(event: LiveEvent): LiveNews {
  // A filter may begin to match, or stop, when a span ends.
  if ('span' in event) return { changed: [event.span.id], hasNew: true };
  switch (event.type) {
    case 'span_deleted':
      return { deleted: [event.span_id] };
    case 'trace_deleted':
      return { deleted: [event.trace_id] };
    case 'cleared':
      return { isCleared: true };
    default:
      return {};
  }
}
