import type { TraceListItem } from '@spandrel/contract';
import { useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { listPage, type ListPage } from '../../api/api.js';
import { PAGE_ROWS } from '../../api/page-rows.js';
import { keys } from '../../api/keys.js';
import { useSpaced } from '../../components/hooks.js';
import { useLiveQueries } from '../../features/list/use-live-queries.js';
import type { LiveEvent } from '../../live/live-event.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { mergeTurns } from './merge-turns.js';

/** Requests of one tab come this far apart at least. */
const BETWEEN_MS = 1_250;

/** Traces of a session that are read at once: each comes with texts. */
const TURNS = 50;

/** Characters of the texts of a turn. */
export const TURN_PREVIEW = 2_000;
const TURN = { preview: TURN_PREVIEW, include: 'scores' } as const;

type Turns = InfiniteData<ListPage<TraceListItem>, string | null>;

/** The traces of a session as a conversation, the oldest first, filled in from events while it is on screen. */
export function useSession(id: string) {
  const query = useInfiniteQuery({
    queryKey: keys.session(id),
    queryFn: ({ pageParam: cursor, signal }) =>
      listPage<TraceListItem>('getSession', {
        path: { session_id: id },
        query: { ...TURN, sort_order: 'asc', limit: TURNS },
        cursor,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const turns = query.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const deleted = useLiveTurns(id, new Set(turns.map(({ id: traceId }) => traceId)));
  return { query, turns, deleted };
}

/** Asks again for turns that events report. @returns ids of traces that somebody deleted. */
function useLiveTurns(sessionId: string, known: ReadonlySet<string>): ReadonlySet<string> {
  const client = useQueryClient();
  const stale = useRef(new Set<string>());
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const refresh = useSpaced(() => {
    const ids = [...stale.current].slice(0, PAGE_ROWS);
    for (const id of ids) stale.current.delete(id);
    // What failed is asked for again with what happens next.
    if (ids.length > 0)
      void listPage<TraceListItem>('listTraces', { query: { ids, ...TURN } }).then(
        ({ rows }) =>
          client.setQueryData<Turns>(keys.session(sessionId), (data) => data && withTurns(data, rows, sessionId)),
        () => undefined,
      );
  }, BETWEEN_MS);
  useLiveQueries([{ queryKey: keys.session(sessionId) }], BETWEEN_MS);
  useLiveBatches(({ events }) => {
    for (const id of events.flatMap((event) => changedTrace(event, sessionId, known))) stale.current.add(id);
    const gone = events.flatMap((event) => (event.type === 'trace_deleted' ? [event.trace_id] : []));
    const isCleared = events.some(({ type }) => type === 'cleared');
    if (gone.length > 0 || isCleared)
      setDeleted((before) => new Set([...before, ...gone, ...(isCleared ? known : [])]));
    if (stale.current.size > 0) refresh();
  });
  return deleted;
}

function changedTrace(event: LiveEvent, sessionId: string, known: ReadonlySet<string>): string[] {
  if ('span' in event) return known.has(event.span.trace_id) ? [event.span.trace_id] : [];
  return event.type === 'trace_created' && event.trace.session_id === sessionId ? [event.trace.id] : [];
}

/** The pages with changed and new turns, all of them on the first: the next page is asked for by the last one's cursor. */
function withTurns(data: Turns, fresh: readonly TraceListItem[], sessionId: string): Turns {
  const turns = data.pages.flatMap(({ rows }) => rows);
  const merged = mergeTurns(turns, fresh, sessionId, data.pages.at(-1)?.next === null);
  return { ...data, pages: data.pages.map((page, at) => ({ ...page, rows: at === 0 ? merged : [] })) };
}
