import type { LiveEvent } from '../../live/live-event.js';
import type { LiveNews } from '../live-list/live-news.js';

/** What an event says of the list of runs. */
export function runNews(event: LiveEvent): LiveNews {
  switch (event.type) {
    case 'eval_started':
      return { changed: [event.run_id], hasNew: true };
    case 'eval_progress':
    case 'eval_completed':
    case 'eval_failed':
    case 'eval_cancelled':
      return { changed: [event.run_id] };
    case 'dataset_deleted':
      return { deleted: [event.dataset_id], hasNew: true };
    case 'cleared':
      return { isCleared: true };
    default:
      return {};
  }
}

/** Whether an event is about this run. */
export const isOfRun = (event: LiveEvent, id: string): boolean => 'run_id' in event && event.run_id === id;
