import type { DatapointPreview } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { useLiveQueries } from '../../features/list/use-live-queries.js';
import { useLiveList, type LiveList } from '../../features/list/use-live-list.js';
import { useFilteredList, type FilteredList } from '../../features/list/use-paged-list.js';
import { listFilters } from '../../features/filters/list-search.js';
import type { LiveEvent } from '../../live/live-event.js';
import type { DatasetSearch } from './dataset-search.js';

/** Many datapoints may come at once; the dataset is asked for again this often at most. */
const BETWEEN_MS = 2_000;

/** A dataset, kept up to date, and whether somebody deleted it meanwhile. */
export function useDataset(id: string) {
  const query = useQuery({
    queryKey: keys.dataset(id),
    queryFn: ({ signal }) => api.getDataset({ path: { id }, signal }),
  });
  const [isDeleted, setIsDeleted] = useState(false);
  const live = [{ queryKey: keys.dataset(id), exact: true }];
  const refresh = useLiveQueries(live, BETWEEN_MS, (event) => isNewDatapoint(event, id));
  useLiveBatches(({ events }) => {
    const isGone = events.some(
      (event) => event.type === 'cleared' || (event.type === 'dataset_deleted' && event.dataset_id === id),
    );
    if (isGone) setIsDeleted(true);
  });
  return { query, isDeleted, refresh };
}

/** The datapoints of a dataset by the filters of the address, kept up to date. */
export function useDatapointList(
  datasetId: string,
  { tab: _tab, ...search }: DatasetSearch,
): FilteredList<DatapointPreview> & { live: LiveList } {
  const query = { ...listFilters(search, 0), sort_order: search.sort_order ?? 'desc' };
  const found = useFilteredList<DatapointPreview>({
    name: 'datapoints',
    filters: { datasetId, ...query },
    queryAt: () => ({ ...query, preview: PREVIEWED }),
    operation: 'listDatapoints',
    path: { id: datasetId },
    idOf: ({ id }) => id,
  });
  const changes = (event: LiveEvent) => (isNewDatapoint(event, datasetId) ? { hasNew: true } : {});
  return { ...found, live: useLiveList(found, { changes }, true) };
}

const PREVIEWED = 160;

function isNewDatapoint(event: LiveEvent, datasetId: string): boolean {
  return event.type === 'datapoint_created' && event.datapoint.dataset_id === datasetId;
}
