import type { SpanOutline, TraceListItem } from '@spandrel/contract';
import { callForText } from './call.js';

/** A trace with all its spans, without their texts. */
export interface TraceOutline {
  trace: TraceListItem;
  spans: SpanOutline[];
  count: number;
}

const pathOf = (id: string): string => `/api/traces/${encodeURIComponent(id)}`;

/**
 * `GET /api/traces/:id` as an outline. Its numbers are those of doubles: to keep every digit of 50,000 spans would take
 * several times as long, and those that need it are read with the texts of a span.
 * @throws ApiError, 404 where there is none.
 */
export async function readTrace(id: string, signal?: AbortSignal): Promise<TraceOutline> {
  const text = await callForText(pathOf(id), { query: { view: 'outline' }, ...(signal && { signal }) });
  return JSON.parse(text) as TraceOutline;
}

/** Address of the whole trace as JSON, texts and all. */
export const traceJsonAddress = pathOf;
