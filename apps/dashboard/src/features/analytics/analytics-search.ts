import type { BucketWidth, CountedThing, GroupKey, RankMeasure, Split } from '@spandrel/contract';
import { readTimeRange, choiceOf, type TimeRange } from '../filters/time-range.js';

/** What figures of analytics are asked for, by the API's own names: the search parameters of the page. */
export interface AnalyticsSearch extends TimeRange {
  group_by?: BucketWidth;
  split_by?: Split;
  /** What latency and errors are of; LLM calls where it is left out. */
  of?: CountedThing;
  model?: string;
  user_id?: string;
  /** The keys of the table of groups, and what it is ordered by; models by their cost where they are left out. */
  by?: GroupKey;
  and_by?: GroupKey;
  order_by?: RankMeasure;
}

/** Values of the comboboxes `Bucket` and `Split by`. */
export const BUCKETS = ['minute', 'hour', 'day', 'week'] as const;
export const SPLITS = ['model', 'provider', 'status', 'user', 'session', 'tag', 'trace_name'] as const;
export const GROUPS = [
  ...['model', 'provider', 'kind', 'status', 'name', 'tag', 'user', 'session', 'trace_name'],
  ...['metadata.environment', 'metadata.release', 'metadata.version'],
] as readonly GroupKey[];
export const RANKS: readonly RankMeasure[] = ['cost', 'count', 'tokens', 'avg_latency', 'errors', 'error_rate'];
export const COUNTED = ['llm_calls', 'traces', 'spans'] as const;

/** Reads an address; what it does not know is left out. */
export function readAnalyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  const width = BUCKETS.find((value) => value === search['group_by']);
  const { model, user_id: user, split_by: by } = search;
  const isKey = typeof by === 'string' && by.startsWith('metadata.');
  const split = isKey ? (by as Split) : SPLITS.find((value) => value === by);
  const of = COUNTED.find((value) => value === search['of']);
  const [group, second] = [groupOf(search['by']), groupOf(search['and_by'])];
  const rank = RANKS.find((value) => value === search['order_by']);
  return {
    ...readTimeRange(search),
    ...(width && { group_by: width }),
    ...(split && { split_by: split }),
    ...(of && { of }),
    ...(group && { by: group }),
    ...(second && second !== (group ?? 'model') && { and_by: second }),
    ...(rank && { order_by: rank }),
    ...(typeof model === 'string' && { model }),
    ...(typeof user === 'string' && { user_id: user }),
  };
}

const groupOf = (value: unknown): GroupKey | undefined =>
  typeof value === 'string' && value.startsWith('metadata.')
    ? (value as GroupKey)
    : GROUPS.find((key) => key === value);

/** Whether spans are left out. */
export const isFiltered = (search: AnalyticsSearch): boolean =>
  choiceOf(search) !== 'all' || search.model !== undefined || search.user_id !== undefined;

/** The search parameters without what leaves spans out. */
export const withoutFilters = ({ model: _model, user_id: _user, ...rest }: AnalyticsSearch): AnalyticsSearch =>
  withRange(rest, {});

/** The search parameters with another range. */
export function withRange(search: AnalyticsSearch, range: TimeRange): AnalyticsSearch {
  const { range: _range, since: _since, until: _until, ...rest } = search;
  return { ...rest, ...range };
}

type Filters = Readonly<Record<string, string | undefined>>;

function listAddress(path: '/spans' | '/traces', filters: Filters): string {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The address of what a query counts, spans or traces. @param filters beside its model, its user and the kind. */
export function countedAddress({ of, model, user_id }: AnalyticsSearch, filters: Filters): string {
  const all = { model, user_id, ...filters, ...(of === 'llm_calls' && { kind: 'llm_call' }) };
  return listAddress(of === 'traces' ? '/traces' : '/spans', all);
}

/** Filters of lists by what sums are split by; names and metadata are those of traces. */
const FILTERS: Readonly<Record<string, string>> = {
  user: 'user_id',
  session: 'session_id',
  trace_name: 'name_contains',
  name: 'name_contains',
};

/** The address of what has certain values of keys, within a range. @param query what is counted. */
export function keysAddress(
  query: AnalyticsSearch,
  values: readonly (readonly [by: GroupKey, value: string | null])[],
  { since, until }: TimeRange,
): string {
  const isOfTraces = values.some(([by]) => by === 'trace_name' || by.startsWith('metadata.'));
  const filters = values.map(([by, value]) => [FILTERS[by] ?? by, value ?? undefined] as const);
  return countedAddress(isOfTraces ? { ...query, of: 'traces' } : query, {
    ...{ since, until },
    ...Object.fromEntries(filters),
  });
}

/** The address of what has a key of the split of a query, within a range. */
export const keyAddress = (query: AnalyticsSearch, key: string, range: TimeRange): string =>
  keysAddress(query, [[query.split_by!, key]], range);
