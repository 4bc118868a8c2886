import { useEffect, useState, useSyncExternalStore } from 'react';
import {
  claimItem,
  claimNext,
  hasPending,
  readItem,
  releaseItem,
  releaseItemWhileLeaving,
  submitItem,
} from '../../api/queue.js';
import { useLatest } from '../../components/use-latest.js';
import { useSpaced } from '../../components/use-spaced.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { reviewMemoryOf } from './kept-reviews.js';
import { ReviewDesk, type DeskState } from './review-desk.js';
import type { ReviewMemory } from './review-memory.js';

export interface OpenDesk {
  desk: ReviewDesk;
  state: DeskState;
  memory: ReviewMemory;
}

export interface DeskOptions {
  datasetId: string;
  /** The name that claims; `null` for the caller as the server knows them. */
  reviewer: string | null;
  /** Whether an item is wanted: none is claimed for somebody who only reads. */
  isWanted: boolean;
  /** How many items are pending, as far as is known. */
  pending(): Promise<number>;
  onClaimed(): void;
  onSubmitted(): void;
}

/** Milliseconds between two questions whether the item is still claimed. */
const CHECK_SPACE_MS = 1_000;

/** The desk at which one dataset is reviewed, as long as its page is on screen. */
export function useReviewDesk({ datasetId, reviewer, isWanted, ...rest }: DeskOptions): OpenDesk {
  const submitted = useLatest(rest.onSubmitted);
  const claimed = useLatest(rest.onClaimed);
  const [pending] = useState(() => rest.pending);
  const [memory] = useState(() => reviewMemoryOf(datasetId));
  const [desk] = useState(
    () =>
      new ReviewDesk(
        {
          next: async (exclude) => {
            const isWorthAsking = await hasPending(datasetId, await pending(), exclude);
            const item = isWorthAsking ? await claimNext(datasetId, reviewer, exclude) : null;
            if (item !== null) claimed();
            return item;
          },
          read: (id) => readItem(id),
          claim: (id) => claimItem(id, reviewer),
          release: releaseItem,
          submit: submitItem,
          onSubmitted: submitted,
        },
        memory,
      ),
  );
  const state = useSyncExternalStore(desk.subscribe, desk.current);
  useEffect(() => {
    if (isWanted) desk.enter();
  }, [desk, isWanted]);
  useLeaving(desk);
  const check = useSpaced(() => desk.check(), CHECK_SPACE_MS);
  useLiveBatches(({ events, hasMissed }) => {
    const isOurs = events.some((event) => event.type === 'queue_item_updated' && desk.isClaimedOtherwise(event.item));
    if (isOurs || hasMissed) check();
  });
  return { desk, state, memory };
}

/** Releases what is claimed when the page is left, in whichever way. */
function useLeaving(desk: ReviewDesk): void {
  useEffect(() => {
    const leave = (): void => {
      const id = desk.heldWhileLeaving();
      if (id !== null) releaseItemWhileLeaving(id);
    };
    // A page that is kept for Back has its item still on screen.
    const comeBack = (event: PageTransitionEvent): void => {
      if (event.persisted) desk.check();
    };
    addEventListener('pagehide', leave);
    addEventListener('pageshow', comeBack);
    return () => {
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', comeBack);
      desk.leave();
    };
  }, [desk]);
}
