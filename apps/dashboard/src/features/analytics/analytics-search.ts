import type { BucketWidth, Split } from '@spandrel/contract';
import { readTimeRange, choiceOf, type TimeRange } from '../filters/time-range.js';

/** What figures of analytics are asked for, by the API's own names: the search parameters of the page. */
export interface AnalyticsSearch extends TimeRange {
  group_by?: BucketWidth;
  split_by?: Split;
  model?: string;
}

/** Values of the comboboxes `Bucket` and `Split by`. */
export const BUCKETS = ['minute', 'hour', 'day', 'week'] as const;
export const SPLITS = ['model', 'provider', 'status'] as const;

/** Reads an address; what it does not know is left out. */
export function readAnalyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  const width = BUCKETS.find((value) => value === search['group_by']);
  const split = SPLITS.find((value) => value === search['split_by']);
  const { model } = search;
  return {
    ...readTimeRange(search),
    ...(width && { group_by: width }),
    ...(split && { split_by: split }),
    ...(typeof model === 'string' && { model }),
  };
}

/** Whether spans are left out. */
export const isFiltered = (search: AnalyticsSearch): boolean =>
  choiceOf(search) !== 'all' || search.model !== undefined;

/** The search parameters without what leaves spans out. */
export function withoutFilters({ group_by, split_by }: AnalyticsSearch): AnalyticsSearch {
  return { ...(group_by && { group_by }), ...(split_by && { split_by }) };
}

/** The search parameters with another range. */
export function withRange(search: AnalyticsSearch, range: TimeRange): AnalyticsSearch {
  const { range: _range, since: _since, until: _until, ...rest } = search;
  return { ...rest, ...range };
}

/** The address of the list of spans with filters. */
export function spansAddress(filters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  return text === '' ? '/spans' : `/spans?${text}`;
}
