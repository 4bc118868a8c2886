import type { QueueCounts } from '@spandrel/contract';
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { readStored, store } from '../components/storage.js';
import { firstKeys } from '../api/first-keys.js';
import { useLiveQueries } from './list/use-live-queries.js';

const SPACE_MS = 1_000;
/** Events that change how many items a queue has. An enqueue has none: a page that is looked at again asks again. */
const CHANGING: ReadonlySet<string> = new Set(['queue_item_updated', 'dataset_deleted']);

/** How far the review of a queue is: that of a dataset, or (`null`) that of traces, spans and sessions. */
export type QueueCount = Omit<QueueCounts['datasets'][number], 'dataset_id'> & { dataset_id: string | null };

/** What the queue is called that is of no dataset. */
export const TARGETS_NAME = 'Traces, spans and sessions';

/** How the counts are asked for, that of traces first. */
const QUEUE_COUNTS = queryOptions({
  queryKey: firstKeys.queueCounts(),
  queryFn: async ({ signal }): Promise<readonly QueueCount[]> => {
    const { datasets, targets } = await api.countQueue({ signal });
    return [...(targets ? [{ dataset_id: null, name: TARGETS_NAME, ...targets }] : []), ...datasets];
  },
});

/** How far the review of each queue is, kept up to date. */
export function useQueueCounts(): UseQueryResult<readonly QueueCount[]> {
  const counts = useQuery({
    ...QUEUE_COUNTS,
    staleTime: 0,
    refetchOnWindowFocus: 'always',
  });
  useLiveQueries([{ queryKey: QUEUE_COUNTS.queryKey }], SPACE_MS, ({ type }) => CHANGING.has(type));
  return counts;
}

const STORAGE_KEY = 'spandrel.reviewer';

/** The name under which somebody reviews in local mode, as this browser keeps it; `''` for none. */
export const readReviewerName = (): string => readStored(STORAGE_KEY) ?? '';

/** Keeps the name for the next visit. */
export const keepReviewerName = (name: string): void => store(STORAGE_KEY, name);
