import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { readDataset } from '../../api/dataset.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/use-spaced.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { isNewDatapoint } from './use-datapoint-list.js';

/** Many datapoints may come at once; the dataset is asked for anew this often at most. */
const BETWEEN_MS = 2_000;

/** A dataset, kept up to date, and whether somebody deleted it meanwhile. */
export function useDataset(id: string) {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: keys.dataset(id), queryFn: ({ signal }) => readDataset(id, signal) });
  const [isDeleted, setIsDeleted] = useState(false);
  const refresh = useSpaced(
    () => void queryClient.invalidateQueries({ queryKey: keys.dataset(id), exact: true }),
    BETWEEN_MS,
  );
  useLiveBatches(({ events, hasMissed }) => {
    if (hasMissed || events.some((event) => isNewDatapoint(event, id))) refresh();
    const isGone = events.some(
      (event) => event.type === 'cleared' || (event.type === 'dataset_deleted' && event.dataset_id === id),
    );
    if (isGone) setIsDeleted(true);
  });
  return { query, isDeleted, refresh };
}
