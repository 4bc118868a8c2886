import type { Query } from '../../api/api.js';
import { DIVISION, type Division } from '../../features/statistics/division.js';
import { readSort, readTexts, type ListSort, type OfferedSorts } from '../../features/filters/list-search.js';

export interface RunSearch extends ListSort, Division {
  only?: RunOnly;
  item?: string;
  baseline?: string;
  cols?: string;
}

/** Which results are shown, as `Show` offers it, and what the API is asked for. */
const ONLY = {
  failed: { status: 'failed' },
  not_passed: { passed: 'false' },
  flaky: { flaky: 'true' },
  below_1: { score_max: 1 - Number.EPSILON / 2 },
} as const satisfies Record<string, Query>;
type RunOnly = keyof typeof ONLY;

export const RESULT_SORTS: OfferedSorts = {
  keys: { score: 'score', latency: 'latency', cost: 'cost' },
  usual: { sort_by: 'order', sort_order: 'asc' },
};

/** Reads an address; what it does not know is left out. */
export function readRunSearch(search: Record<string, unknown>): RunSearch {
  const { only } = search;
  return {
    ...(typeof only === 'string' && Object.hasOwn(ONLY, only) && { only: only as RunOnly }),
    ...readTexts(search, ['item', 'baseline', ...DIVISION, 'cols']),
    ...(search['sort_by'] !== undefined && readSort(search, RESULT_SORTS)),
  };
}

/** What the API is asked for. */
export function resultsQuery({ only, sort_by, sort_order }: RunSearch): Query {
  return {
    ...(only && ONLY[only]),
    ...(sort_by !== undefined && { sort_by, sort_order: sort_order ?? 'desc' }),
  };
}
