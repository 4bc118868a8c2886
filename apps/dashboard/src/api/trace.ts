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

/** Address of the whole trace as JSON, texts and all. */
export const traceJsonAddress = pathOf;
