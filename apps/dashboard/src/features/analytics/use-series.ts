import type { BucketSums, BucketWidth, RangeTotals, TimeBucket } from '@spandrel/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import type { AnalyticsSearch } from './analytics-search.js';
import { KEYS_MAX } from './figures.js';
import { askedOf, knownEnds, type SeriesQuestion } from './plan-question.js';

/** Figures of a range without an end are asked for again after so long. */
const RENEWED_EVERY_MS = 60_000;

export interface Series {
  /** What was asked for: those of the query before stay until they are there. */
  query: AnalyticsSearch;
  range: { since?: string; until?: string };
  width: BucketWidth;
  buckets: readonly TimeBucket[];
  totals: RangeTotals;
  /** Sums of as long a time before; `null` where the range is open. */
  previous: BucketSums | null;
}

/** The sums of a query over time; all figures of one query share one request. @param more than the query asks for. */
export function useSeries(query: AnalyticsSearch, more: SeriesQuestion = {}) {
  return useQuery({
    queryKey: keys.analytics(query, more),
    queryFn: ({ signal }) => loadSeries(query, more, signal),
    placeholderData: keepPreviousData,
    refetchInterval: query.until === undefined && RENEWED_EVERY_MS,
  });
}

async function loadSeries(query: AnalyticsSearch, more: SeriesQuestion, signal: AbortSignal): Promise<Series> {
  const now = Date.now();
  const asked = askedOf(query, now);
  const split = query.split_by && { split_by: query.split_by, top: KEYS_MAX };
  const body: SeriesQuestion = { ...asked, fill: true, percentiles: true, totals: true, ...split, ...more };
  const { buckets, totals, previous_totals: previous, group_by: width } = await api.queryAnalytics({ body, signal });
  const range = knownEnds(query, now);
  return {
    query,
    range,
    width: width ?? query.group_by ?? 'day',
    buckets,
    totals: totals!,
    previous: previous ?? null,
  };
}
