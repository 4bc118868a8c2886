import type { SpanOutline, TraceListItem } from '@spandrel/contract';
import { call } from './call.js';

/** A trace with all its spans, without their texts. */
export interface TraceOutline {
  trace: TraceListItem;
  spans: SpanOutline[];
  count: number;
}

const pathOf = (id: string): string => `/api/traces/${encodeURIComponent(id)}`;

/** @throws ApiError, 404 where there is none. */
export const readTrace = (id: string, signal?: AbortSignal): Promise<TraceOutline> =>
  call(pathOf(id), { query: { view: 'outline' }, ...(signal && { signal }) });

export const deleteTrace = (id: string): Promise<{ trace_id: string; spans_deleted: number }> =>
  call(pathOf(id), { method: 'DELETE' });

/** Address of the whole trace as JSON, texts and all. */
export const traceJsonAddress = pathOf;

/** The facts of a trace without its spans; `null` where there is none. */
export async function readTraceFacts(id: string): Promise<TraceListItem | null> {
  const { traces } = await call<{ traces: TraceListItem[] }>('/api/traces', { query: { ids: [id] } });
  return traces[0] ?? null;
}
