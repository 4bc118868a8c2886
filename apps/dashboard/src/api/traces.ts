import type { TraceListItem, TracesOverTime } from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

/** `GET /api/traces`: a page of traces. @param cursor `null` for the first page. */
export async function listTraces(
  filters: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<TraceListItem>> {
  const answer = await call<{ traces: TraceListItem[]; next_cursor: string | null }>('/api/traces', {
    query: { ...filters, limit: PAGE_ROWS, cursor },
    ...(signal && { signal }),
  });
  return { rows: answer.traces, next: answer.next_cursor };
}

/**
 * `GET /api/traces?ids=`: the traces of some ids as they are now.
 * @param ids two hundred at most.
 * @param preview characters of their texts.
 */
export async function tracesByIds(ids: readonly string[], preview?: number): Promise<readonly TraceListItem[]> {
  const { rows } = await listTraces({ ids, preview }, null);
  return rows;
}

/** `GET /api/traces?limit=1`: whether there is any trace. */
export async function hasAnyTrace(signal?: AbortSignal): Promise<boolean> {
  const { traces } = await call<{ traces: unknown[] }>('/api/traces', {
    query: { limit: 1 },
    ...(signal && { signal }),
  });
  return traces.length > 0;
}

/** `GET /api/count/traces/over-time`: how many traces there are, and when they began. */
export function countTracesOverTime(filters: Query, signal?: AbortSignal): Promise<TracesOverTime> {
  return call('/api/count/traces/over-time', { query: filters, ...(signal && { signal }) });
}

/** `DELETE /api/traces/:id`, with all its spans. */
export function deleteTrace(id: string): Promise<{ trace_id: string; spans_deleted: number }> {
  return call(`/api/traces/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

/** `DELETE /api/traces`: every trace of the project, with all spans. */
export function deleteAllTraces(): Promise<{ traces_deleted: number; spans_deleted: number }> {
  return call('/api/traces', { method: 'DELETE' });
}

/** `GET /api/count/traces`: how many traces there are; at ten thousand counting stops. */
export function countTraces(signal?: AbortSignal): Promise<{ count: number; exact: boolean }> {
  return call('/api/count/traces', signal && { signal });
}
