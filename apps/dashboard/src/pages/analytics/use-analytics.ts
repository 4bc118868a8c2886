import type { TimeBucket } from '@spandrel/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { isFiltered, type AnalyticsSearch } from './analytics-search.js';
import { KEYS_MAX } from './figures.js';
import { knownEnds, planQuestion, type Plan, type SeriesQuestion } from './plan-question.js';
import { MODELS_MAX, modelsOf, modelsOfSummary, totalsOf, type ModelSums, type Totals } from './sums.js';

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
  const ask = async (question: Partial<SeriesQuestion> & Pick<SeriesQuestion, 'group_by'>) =>
    (await api.queryAnalytics({ body: { ...range, ...question }, signal })).buckets;
  const [buckets, byStatus, summary, byModel] = await Promise.all([
    ask({
      ...{ group_by: width, fill: true, percentiles: true },
      ...(search.split_by && { split_by: search.split_by, top: KEYS_MAX }),
    }),
    ask({ group_by: 'week', split_by: 'status' }),
    api.getAnalyticsSummary({ signal }),
    isAll ? null : ask({ group_by: 'week', split_by: 'model', top: MODELS_MAX }),
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
  const ask = async (sort_order: 'asc' | 'desc'): Promise<number | null> => {
    const query = { model: search.model, until, sort_order, limit: 1, view: 'outline' } as const;
    const [span] = (await api.listSpans({ query, signal })).spans;
    return span === undefined ? null : Date.parse(span.started_at);
  };
  const [first, last] = await Promise.all([
    since === undefined ? ask('asc') : null,
    until === undefined ? ask('desc') : null,
  ]);
  return { first, last };
}
