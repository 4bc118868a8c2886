import type { DatapointPreview } from '@spandrel/contract';
import { listDatapoints } from '../../api/datapoints.js';
import { useLiveList, type LiveList } from '../../features/live-list/use-live-list.js';
import { useFilteredList, type FilteredList } from '../../features/paged-list/use-filtered-list.js';
import type { LiveEvent } from '../../live/live-event.js';
import type { DatasetSearch } from './dataset-search.js';

/** The datapoints of a dataset by the filters of the address, kept up to date. */
export function useDatapointList(
  datasetId: string,
  { text_contains, source, sort_order }: DatasetSearch,
): FilteredList<DatapointPreview> & { live: LiveList } {
  const query = { text_contains, source, sort_order: sort_order ?? 'desc' };
  const found = useFilteredList<DatapointPreview>({
    name: 'datapoints',
    filters: { datasetId, ...query },
    queryAt: () => query,
    fetch: (asked, cursor, signal) => listDatapoints(datasetId, asked, cursor, signal),
    idOf: ({ id }) => id,
  });
  const live = useLiveList(
    found,
    {
      read: (event) => (isNewDatapoint(event, datasetId) ? { hasNew: true } : {}),
      // The list has no filter by ids; its first page is read anew.
      byIds: () => Promise.resolve([]),
      recount: () => undefined,
    },
    true,
  );
  return { ...found, live };
}

/** Whether an event tells of another datapoint of a dataset. */
export function isNewDatapoint(event: LiveEvent, datasetId: string): boolean {
  return event.type === 'datapoint_created' && event.datapoint.dataset_id === datasetId;
}
