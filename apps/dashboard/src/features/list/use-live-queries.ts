import { useQueryClient, type QueryFilters } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { SHARE_TOKEN } from '../../api/share-token.js';
import { useSpaced } from '../../components/hooks.js';
import type { LiveEvent } from '../../live/live-event.js';
import { useLiveBatches } from '../../live/live-updates.js';

/**
 * Keeps queries up to date: they are read again after events that concern them, where events were missed, and where their
 * answers come back from memory.
 * @param spaceMs milliseconds between two times at least. @param concerns whether an event does; none when left out.
 * @param read reads them again; each of them whole unless given.
 * @returns does so.
 */
export function useLiveQueries(
  queries: readonly Pick<QueryFilters, 'queryKey' | 'exact'>[],
  spaceMs: number,
  concerns: (event: LiveEvent) => boolean = () => false,
  read?: () => unknown,
): () => void {
  const client = useQueryClient();
  const reread = useSpaced(read ?? (() => queries.forEach((which) => void client.invalidateQueries(which))), spaceMs);
  useLiveBatches(({ events, hasMissed }) => {
    if (hasMissed || events.some(concerns)) reread();
  });
  const rereadKept = useEffectEvent(() => {
    const kept = queries.flatMap((which) => client.getQueryCache().findAll(which));
    // What a link opens is read once.
    if (SHARE_TOKEN === null && kept.some(({ state }) => state.data !== undefined && state.fetchStatus === 'idle'))
      reread();
  });
  const identity = JSON.stringify(queries);
  useEffect(() => rereadKept(), [identity]);
  return reread;
}
