import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { isFiltered, type AnalyticsSearch } from '../../features/analytics/analytics-search.js';
import { knownEnds, type Plan, type SeriesQuestion } from '../../features/analytics/plan-question.js';
import {
  MODELS_MAX,
  modelsOf,
  modelsOfSummary,
  totalsOf,
  type ModelSums,
  type Totals,
} from '../../features/analytics/sums.js';
import { RENEWED_EVERY_MS } from '../../features/analytics/use-series.js';

/** What the page shows beside its figures, all of one search. */
export interface Analytics extends Pick<Plan, 'range'> {
  search: AnalyticsSearch;
  totals: Totals;
  models: readonly ModelSums[];
  /** Every model there is, for the filter. */
  knownModels: readonly string[];
}

/** The sums of a search; those of the search before stay until they are there. */
export function useAnalytics(search: AnalyticsSearch) {
  return useQuery({
    queryKey: keys.analytics('totals', search),
    queryFn: ({ signal }) => loadAnalytics(search, Date.now(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: search.until === undefined && RENEWED_EVERY_MS,
  });
}

async function loadAnalytics(search: AnalyticsSearch, now: number, signal: AbortSignal): Promise<Analytics> {
  const range = { ...knownEnds(search, now), ...(search.model !== undefined && { model: search.model }) };
  const ask = async (question: SeriesQuestion) =>
    (await api.queryAnalytics({ body: { ...range, ...question, group_by: 'week' }, signal })).buckets;
  const [byStatus, summary, byModel] = await Promise.all([
    ask({ split_by: 'status' }),
    api.getAnalyticsSummary({ signal }),
    isFiltered(search) ? ask({ split_by: 'model', top: MODELS_MAX }) : null,
  ]);
  return {
    ...{ search, range },
    totals: totalsOf(byStatus),
    models: byModel === null ? modelsOfSummary(summary) : modelsOf(byModel),
    knownModels: Object.keys(summary.models).toSorted(),
  };
}
