import type { TimeBucket } from '@spandrel/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { findEdge, querySeries, readSummary } from '../../api/analytics.js';
import { keys } from '../../api/keys.js';
import { isFiltered, type AnalyticsSearch } from './analytics-search.js';
import { KEYS_MAX } from './figures.js';
import { knownEnds, planQuestion, type Plan } from './plan-question.js';
import { MODELS_MAX, modelsOf, modelsOfSummary, totalsOf, type ModelSums, type Totals } from './sums.js';

/** How often a range that goes with the clock is asked for again. */
const RENEWED_EVERY_MS = 60_000;

/** What the page shows, all of one search. */
export interface Analytics extends Plan {
  search: AnalyticsSearch;
  buckets: readonly TimeBucket[];
  totals: Totals;
  models: readonly ModelSums[];
  /** Every model there is, for the filter. */
  knownModels: readonly string[];
}

/** The sums of a search; those of the search before stay until they are there. */
export function useAnalytics(search: AnalyticsSearch) {
  return useQuery({
    queryKey: keys.analytics(search),
    queryFn: ({ signal }) => loadAnalytics(search, Date.now(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: search.until === undefined && RENEWED_EVERY_MS,
  });
}

async function loadAnalytics(search: AnalyticsSearch, now: number, signal: AbortSignal): Promise<Analytics> {
  const { width, range } = planQuestion(search, now, await findEdges(search, now, signal));
  const isAll = !isFiltered(search);
  const [buckets, byStatus, summary, byModel] = await Promise.all([
    querySeries(
      {
        ...range,
        group_by: width,
        fill: true,
        percentiles: true,
        ...(search.split_by && { split_by: search.split_by, top: KEYS_MAX }),
      },
      signal,
    ),
    querySeries({ ...range, group_by: 'week', split_by: 'status' }, signal),
    readSummary(signal),
    isAll ? null : querySeries({ ...range, group_by: 'week', split_by: 'model', top: MODELS_MAX }, signal),
  ]);
  return {
    ...{ search, width, range, buckets },
    totals: totalsOf(byStatus),
    models: byModel === null ? modelsOfSummary(summary) : modelsOf(byModel),
    knownModels: Object.keys(summary.models).toSorted(),
  };
}

/** When spans began and ended to start, where the search does not say. */
async function findEdges(search: AnalyticsSearch, now: number, signal: AbortSignal) {
  const { since, until } = knownEnds(search, now);
  const filters = {
    ...(search.model !== undefined && { model: search.model }),
    ...(until !== undefined && { until }),
  };
  const [first, last] = await Promise.all([
    since === undefined ? findEdge('first', filters, signal) : null,
    until === undefined ? findEdge('last', filters, signal) : null,
  ]);
  return { first, last };
}
