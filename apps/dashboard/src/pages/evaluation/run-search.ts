import type { Query } from '../../api/api.js';
import type { Division } from '../../features/statistics/division-fields.js';
import { readSort, readTexts, type ListSort, type OfferedSorts } from '../../features/filters/list-search.js';

/** What the address of a run can say. */
export interface RunSearch extends ListSort, Division {
  /** `failed` or `below_1`; left out for all. */
  only?: 'failed' | 'below_1';
  /** Datapoint whose result is open. */
  item?: string;
  /** Run that this one is compared with. */
  baseline?: string;
  cols?: string;
}

/** What the server sorts results by. */
export const RESULT_SORTS: OfferedSorts = {
  keys: { score: 'score', latency: 'latency', cost: 'cost' },
  usual: { sort_by: 'order', sort_order: 'asc' },
};

/** The largest score that is lower than 1. */
const BELOW_ONE = 1 - Number.EPSILON / 2;

/** Reads an address; what it does not know is left out. */
export function readRunSearch(search: Record<string, unknown>): RunSearch {
  const { only } = search;
  return {
    ...((only === 'failed' || only === 'below_1') && { only }),
    ...readTexts(search, ['item', 'baseline', 'group_by', 'cluster_by', 'cols']),
    ...(search['sort_by'] !== undefined && readSort(search, RESULT_SORTS)),
  };
}

/** What the API is asked for. */
export function resultsQuery({ only, sort_by, sort_order }: RunSearch): Query {
  return {
    ...(only === 'failed' && { status: 'failed' }),
    ...(only === 'below_1' && { score_max: BELOW_ONE }),
    ...(sort_by !== undefined && { sort_by, sort_order: sort_order ?? 'desc' }),
  };
}
