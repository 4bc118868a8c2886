import type { QueueCounts } from '@spandrel/contract';
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { readStored, store } from '../components/storage.js';
import { firstKeys } from '../api/first-keys.js';
import { useSpaced } from '../components/hooks.js';
import { useLiveBatches } from '../live/live-updates.js';

const SPACE_MS = 1_000;
/** Events that change how many items a queue has. An enqueue has none: a page that is looked at again asks again. */
const CHANGING: ReadonlySet<string> = new Set(['queue_item_updated', 'dataset_deleted']);

/** How far the review of one dataset is. */
export type QueueCount = QueueCounts['datasets'][number];

/** How the counts are asked for. */
export const QUEUE_COUNTS = queryOptions({
  queryKey: firstKeys.queueCounts(),
  queryFn: async ({ signal }) => (await api.countQueue({ signal })).datasets,
});

/** How far the review of each dataset is, kept up to date. */
export function useQueueCounts(): UseQueryResult<readonly QueueCount[]> {
  const counts = useQuery({
    ...QUEUE_COUNTS,
    staleTime: 0,
    refetchOnWindowFocus: 'always',
  });
  const reread = useSpaced(() => void counts.refetch(), SPACE_MS);
  useLiveBatches(({ events, hasMissed }) => {
    if (hasMissed || events.some(({ type }) => CHANGING.has(type))) reread();
  });
  return counts;
}

const STORAGE_KEY = 'spandrel.reviewer';

/** The name under which somebody reviews in local mode, as this browser keeps it; `''` for none. */
export const readReviewerName = (): string => readStored(STORAGE_KEY) ?? '';

/** Keeps the name for the next visit. */
export const keepReviewerName = (name: string): void => store(STORAGE_KEY, name);
