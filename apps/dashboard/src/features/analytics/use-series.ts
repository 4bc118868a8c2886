import type { TimeBucket } from '@spandrel/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import type { AnalyticsSearch } from './analytics-search.js';
import { KEYS_MAX } from './figures.js';
import { knownEnds, planQuestion, type Plan } from './plan-question.js';

/** Figures of a range without an end are asked for again after so long. */
export const RENEWED_EVERY_MS = 60_000;

/** The sums of a query over time. */
export interface Series extends Plan {
  /** What was asked for: those of the query before stay until they are there. */
  query: AnalyticsSearch;
  buckets: readonly TimeBucket[];
}

/** The sums of a query over time; all figures of one query share one request. */
export function useSeries(query: AnalyticsSearch) {
  return useQuery({
    queryKey: keys.analytics('series', query),
    queryFn: ({ signal }) => loadSeries(query, Date.now(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: query.until === undefined && RENEWED_EVERY_MS,
  });
}

async function loadSeries(query: AnalyticsSearch, now: number, signal: AbortSignal): Promise<Series> {
  const plan = planQuestion(query, now, await findEdges(query, now, signal));
  const split = query.split_by && { split_by: query.split_by, top: KEYS_MAX };
  const body = { ...plan.range, group_by: plan.width, fill: true, percentiles: true, ...split };
  const { buckets } = await api.queryAnalytics({ body, signal });
  return { ...plan, query, buckets };
}

/** When spans began and ended to start, where the query does not say. */
async function findEdges(query: AnalyticsSearch, now: number, signal: AbortSignal) {
  const { since, until } = knownEnds(query, now);
  const ask = async (sort_order: 'asc' | 'desc'): Promise<number | null> => {
    const { spans } = await api.listSpans({
      query: { model: query.model, until, sort_order, limit: 1, view: 'outline' },
      signal,
    });
    return spans[0] === undefined ? null : Date.parse(spans[0].started_at);
  };
  const [first, last] = await Promise.all([
    since === undefined ? ask('asc') : null,
    until === undefined ? ask('desc') : null,
  ]);
  return { first, last };
}
