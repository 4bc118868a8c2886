import { readListSearch, type ListParameters, type ListSearch } from '../../features/filters/list-search.js';
import type { RowChanges } from '../../features/list/list-rules.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What the address of the page of datasets can say: its columns alone. */
export const DATASETS_PARAMETERS: ListParameters = {
  bar: [],
  fields: [],
  sorts: { keys: {}, usual: { sort_by: 'created_at', sort_order: 'desc' } },
};

/** Reads an address; what it does not know is left out. */
export const readDatasetsSearch = ({ cols }: Record<string, unknown>): ListSearch =>
  readListSearch({ cols }, DATASETS_PARAMETERS);

/** What an event says of the list of datasets: counts change with datapoints. */
export function datasetChanges(event: LiveEvent): RowChanges {
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
