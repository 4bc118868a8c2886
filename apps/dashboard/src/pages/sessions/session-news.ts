import type { LiveNews } from '../../features/live-list/live-news.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What an event says of the list of sessions: that it may be another. Which session a span is of only the server knows. */
export function sessionNews(event: LiveEvent): LiveNews {
  if ('span' in event) return { hasNew: true };
  switch (event.type) {
    case 'trace_created':
      return event.trace.session_id === null ? {} : { hasNew: true };
    case 'trace_deleted':
    case 'span_deleted':
      return { hasNew: true };
    case 'cleared':
      return { isCleared: true };
    default:
      return {};
  }
}
