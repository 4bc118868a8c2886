import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys.js';
import type { QueueCount } from '../../api/queue.js';
import { QUEUE_COUNTS, useQueueCounts } from '../../features/use-queue-counts.js';
import type { ReviewCounts } from './review-progress.js';

const NONE: ReviewCounts = { pending: 0, claimed: 0, completed: 0 };

/** How far the review of one dataset is, by the server; what is done here is counted at once. */
export function useCountsOf(datasetId: string) {
  const queryClient = useQueryClient();
  const { data } = useQueueCounts();
  const ofDataset = (counts: readonly QueueCount[]): ReviewCounts =>
    counts.find((count) => count.dataset_id === datasetId) ?? NONE;
  const move = (from: 'pending' | 'claimed', to: 'claimed' | 'completed'): void => {
    queryClient.setQueryData(QUEUE_COUNTS.queryKey, (before) =>
      before?.map((count) =>
        count.dataset_id === datasetId && count[from] > 0
          ? { ...count, [from]: count[from] - 1, [to]: count[to] + 1 }
          : count,
      ),
    );
  };
  return {
    counts: data === undefined ? null : ofDataset(data),
    onClaimed: (): void => move('pending', 'claimed'),
    onSubmitted: (): void => {
      move('claimed', 'completed');
      // The datapoint may have changed: what is kept of it is asked for anew when it is opened.
      void queryClient.invalidateQueries({ queryKey: keys.dataset(datasetId), refetchType: 'none' });
    },
    pending: async (): Promise<number> => {
      const known = queryClient.getQueryData(QUEUE_COUNTS.queryKey) ?? (await queryClient.fetchQuery(QUEUE_COUNTS));
      return ofDataset(known).pending;
    },
  };
}
