import type { LiveNews } from '../../features/live-list/live-news.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What an event says of the list of datasets: counts change with datapoints. */
export function datasetNews(event: LiveEvent): LiveNews {
  switch (event.type) {
    case 'dataset_created':
    case 'datapoint_created':
      return { hasNew: true };
    case 'dataset_deleted':
      return { deleted: [event.dataset_id], hasNew: true };
    case 'cleared':
      return { isCleared: true };
    default:
      return {};
  }
}
