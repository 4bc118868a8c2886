import type { AnalyticsSummary, BucketWidth, Split, TimeBucket } from '@spandrel/contract';
import { call } from './call.js';

/** What a time series is asked for; times as the API reads them. */
export interface SeriesQuestion {
  since?: string;
  until?: string;
  group_by: BucketWidth;
  model?: string;
  split_by?: Split;
  top?: number;
  fill?: boolean;
  percentiles?: boolean;
}

/** `POST /api/analytics`: buckets, oldest first. */
export async function querySeries(question: SeriesQuestion, signal?: AbortSignal): Promise<TimeBucket[]> {
  const options = { method: 'POST', body: question, ...(signal && { signal }) } as const;
  const { buckets } = await call<{ buckets: TimeBucket[] }>('/api/analytics', options);
  return buckets;
}

/** `GET /api/analytics/summary`: sums of all time. */
export function readSummary(signal?: AbortSignal): Promise<AnalyticsSummary> {
  return call('/api/analytics/summary', { ...(signal && { signal }) });
}

/** When the first or the last span started that matches, in milliseconds; `null` when none does. */
export async function findEdge(
  edge: 'first' | 'last',
  filters: { model?: string; until?: string },
  signal?: AbortSignal,
): Promise<number | null> {
  const sort_order = edge === 'first' ? 'asc' : 'desc';
  const { spans } = await call<{ spans: { started_at: string }[] }>('/api/spans', {
    query: { ...filters, sort_order, limit: 1, view: 'outline' },
    ...(signal && { signal }),
  });
  return spans[0] === undefined ? null : Date.parse(spans[0].started_at);
}
