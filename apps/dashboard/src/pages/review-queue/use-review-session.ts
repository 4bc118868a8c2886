import { useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { BASE } from '../../api/project-base.js';
import { useQueueCounts } from '../../features/review-counts.js';
import { isNotFound } from '../../api/api-error.js';
import { api } from '../../api/api.js';
import { useSpaced } from '../../components/hooks.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { keptInTab } from '../../components/storage.js';
import { useStore } from '../../components/store.js';
import { keys } from '../../api/keys.js';
import { claimedBy, requestsOf } from './queue-requests.js';
import { newReviewMemory, ReviewSession, type ReviewMemory } from './review-session.js';

const sessionCache = new Map<string, ReviewMemory>();
const kept = keptInTab<{ reviews: [string, ReviewMemory][] }>(`spandrel.review${BASE}`, () => ({
  reviews: [...sessionCache],
}));
for (const [datasetId, memory] of Array.isArray(kept?.reviews) ? kept.reviews : []) sessionCache.set(datasetId, memory);

/** What was done in a queue; it is kept over a reload of the tab, and changed in place. */
function reviewMemoryOf(datasetId: string | null): ReviewMemory {
  const known = sessionCache.get(datasetId ?? '') ?? newReviewMemory();
  sessionCache.set(datasetId ?? '', known);
  return known;
}

interface SessionOptions {
  /** `null` for the queue of traces, spans and sessions. */
  datasetId: string | null;
  /** The name that claims; `null` for the caller as the server knows them. */
  reviewer: string | null;
  isWanted: boolean;
}

const CHECK_SPACE_MS = 1_000;

/** The review of one queue, as long as its page is on screen. */
export function useReviewSession({ datasetId, reviewer, isWanted }: SessionOptions) {
  const client = useQueryClient();
  const [memory] = useState(() => reviewMemoryOf(datasetId));
  const [session] = useState(
    () =>
      new ReviewSession(
        {
          next: async (exclude) =>
            (await hasPending(datasetId, exclude)) ? claimNext(datasetId, reviewer, exclude) : null,
          read: (id) => api.getQueueItem({ path: { item_id: id } }),
          claim: (id) => api.claimQueueItem({ path: { item_id: id }, body: claimedBy(reviewer) }),
          release: (id) => api.releaseQueueItem({ path: { item_id: id } }),
          submit: async (id, { edited, isWrittenBack, review }) => {
            const { applied } = await api.submitQueueItem({
              path: { item_id: id },
              ...(isWrittenBack && { query: { apply: true } }),
              body: { ...review, ...(edited && { edited_data: edited.data as never }) },
            });
            if (datasetId === null) return 'no datapoint';
            // The datapoint may have changed: what is kept of it is asked for again when it is opened.
            void client.invalidateQueries({ queryKey: keys.dataset(datasetId), refetchType: 'none' });
            if (!isWrittenBack) return 'not asked';
            return applied === false ? 'refused' : 'written';
          },
        },
        memory,
      ),
  );
  const state = useStore(session);
  useEffect(() => {
    if (isWanted) session.enter();
  }, [session, isWanted]);
  useLeaving(session);
  const check = useSpaced(() => session.check(), CHECK_SPACE_MS);
  useLiveBatches(({ events, hasMissed }) => {
    const isOurs = events.some(
      (event) => event.type === 'queue_item_updated' && session.isClaimedOtherwise(event.item),
    );
    if (isOurs || hasMissed) check();
  });
  return { session, state, memory };
}

async function claimNext(id: string | null, reviewer: string | null, exclude: readonly string[]) {
  try {
    return await requestsOf(id).next({ ...claimedBy(reviewer), exclude: [...exclude] });
  } catch (error) {
    if (isNotFound(error) && error.code === 'queue_item_not_found') return null;
    throw error;
  }
}

const LOOKED_THROUGH_MAX = 50;

/** Whether an item may be pending: a refused claim would stand in the console of the browser as an error. */
async function hasPending(id: string | null, exclude: readonly string[]): Promise<boolean> {
  if (exclude.length >= LOOKED_THROUGH_MAX) return true;
  const { items } = await requestsOf(id).list({ status: 'pending', limit: exclude.length + 1 });
  return items.some((item) => !exclude.includes(item.id));
}

function useLeaving(session: ReviewSession): void {
  useEffect(() => {
    const leave = (): void => {
      const id = session.heldWhileLeaving();
      // It is sent, and nobody waits for the answer.
      const address = `${BASE}/api/queue/${encodeURIComponent(id ?? '')}/release`;
      if (id !== null) fetch(address, { method: 'POST', keepalive: true }).catch(() => undefined);
    };
    // A page that is kept for Back has its item still on screen.
    const comeBack = (event: PageTransitionEvent): void => {
      if (event.persisted) session.check();
    };
    addEventListener('pagehide', leave);
    addEventListener('pageshow', comeBack);
    return () => {
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', comeBack);
      session.leave();
    };
  }, [session]);
}

export interface ReviewCounts {
  pending: number;
  claimed: number;
  completed: number;
}

const NONE: ReviewCounts = { pending: 0, claimed: 0, completed: 0 };

/** How far the review of one queue is, by the server; `null` until that is known. */
export function useCountsOf(datasetId: string | null): ReviewCounts | null {
  const { data } = useQueueCounts();
  return data === undefined ? null : (data.find((count) => count.dataset_id === datasetId) ?? NONE);
}
