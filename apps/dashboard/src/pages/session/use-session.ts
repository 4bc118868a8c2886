import type { TraceListItem } from '@spandrel/contract';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { useLiveQueries } from '../../features/list/use-live-queries.js';
import type { LiveEvent } from '../../live/live-event.js';
import { useLiveBatches } from '../../live/live-updates.js';

/** The pages that were read are read again this far apart at least. */
const BETWEEN_MS = 2_000;

const TURNS = 50;

/** Characters of the texts of a turn. */
export const TURN_PREVIEW = 2_000;

/** The traces of a session as a conversation, the oldest first, kept up to date, and ids of those that somebody deleted. */
export function useSession(id: string) {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: keys.session(id),
    queryFn: ({ pageParam: cursor, signal }) =>
      listPage<TraceListItem>('getSession', {
        path: { session_id: id },
        query: { preview: TURN_PREVIEW, include: 'scores', sort_order: 'asc', limit: TURNS },
        cursor,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const turns = query.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const known = new Set(turns.map(({ id: traceId }) => traceId));
  const concerns = (event: LiveEvent): boolean => changesSession(event, id, known);
  // Many pages take longer to read than events are apart: those that are under way are waited for.
  const reread = () => client.invalidateQueries({ queryKey: keys.session(id) }, { cancelRefetch: false });
  useLiveQueries([{ queryKey: keys.session(id) }], BETWEEN_MS, concerns, reread);
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  useLiveBatches(({ events }) => {
    const gone = events.flatMap((event) => (event.type === 'trace_deleted' ? [event.trace_id] : []));
    const isCleared = events.some(({ type }) => type === 'cleared');
    if (gone.length > 0 || isCleared)
      setDeleted((before) => new Set([...before, ...gone, ...(isCleared ? known : [])]));
  });
  return { query, turns, deleted };
}

function changesSession(event: LiveEvent, sessionId: string, known: ReadonlySet<string>): boolean {
  if ('span' in event) return known.has(event.span.trace_id);
  return event.type === 'trace_created' && event.trace.session_id === sessionId;
}
