import type { SessionResource, TraceListItem } from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

/** `GET /api/sessions`: a page of sessions, the latest to start first. @param cursor `null` for the first page. */
export async function listSessions(
  filters: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<SessionResource>> {
  const answer = await call<{ sessions: SessionResource[]; next_cursor: string | null }>('/api/sessions', {
    query: { ...filters, limit: PAGE_ROWS, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.sessions, next: answer.next_cursor };
}

/** Traces of a session that are read at once: each comes with texts. */
const TURNS = 50;

/** Characters of the texts of a turn. */
export const TURN_PREVIEW = 2_000;

/** `GET /api/sessions/:id`: traces of a session with the beginnings of their texts, the oldest first. @throws ApiError, 404 where there is none. */
export async function readSession(
  id: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<TraceListItem>> {
  const query = { preview: TURN_PREVIEW, sort_order: 'asc', limit: TURNS, cursor };
  const answer = await call<{ traces: TraceListItem[]; next_cursor: string | null }>(
    `/api/sessions/${encodeURIComponent(id)}`,
    { query, ...(signal && { signal }) },
  );
  return { rows: answer.traces, next: answer.next_cursor };
}
