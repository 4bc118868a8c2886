import type { StatusName } from '@spandrel/contract';
import type { Query } from '../../api/query-text.js';
import type { FilterChip } from '../../features/filters/filter-chip.js';
import { fieldChips, readFields, withoutFields, type FilterField } from '../../features/filters/filter-field.js';
import { readSort, type ListSort, type OfferedSorts } from '../../features/sorting/list-sort.js';
import { describeRange, endsOf, readTimeRange, type TimeRange } from '../../features/time-range/time-range.js';

/** Search parameters of the page of traces, by the API's own names. */
export interface TracesSearch extends TimeRange, ListSort {
  name_contains?: string;
  status?: StatusName;
  tag?: string[];
  model?: string;
  provider?: string;
  user_id?: string;
  session_id?: string;
  duration_min?: string;
  cost_min?: string;
  tokens_min?: string;
  cols?: string;
}

/** Values of the combobox `Status`; the empty one is any. */
export const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
] as const;

/** What the menu `Add filter` offers, in its order. */
export const TRACE_FIELDS: readonly FilterField[] = [
  { id: 'tag', label: 'Tag', facet: 'tag', isRepeated: true },
  { id: 'model', label: 'Model', facet: 'model' },
  { id: 'provider', label: 'Provider', facet: 'provider' },
  { id: 'user_id', label: 'User', facet: 'user' },
  { id: 'session_id', label: 'Session', facet: 'session' },
  { id: 'duration_min', label: 'Minimum duration', unit: 'duration' },
  { id: 'cost_min', label: 'Minimum cost', unit: 'cost' },
  { id: 'tokens_min', label: 'Minimum tokens', unit: 'count' },
];

/** Columns by which the server sorts. */
export const TRACE_SORTS: OfferedSorts = {
  keys: {
    ...{ started_at: 'started_at', duration_ms: 'duration', span_count: 'spans' },
    ...{ total_tokens: 'tokens', total_cost: 'cost' },
  },
  usual: { sort_by: 'started_at', sort_order: 'desc' },
};

/** Reads an address; what it does not know is left out. */
export function readTracesSearch(search: Record<string, unknown>): TracesSearch {
  const { name_contains: name, cols } = search;
  const status = STATUS_OPTIONS.find(({ value }) => value !== '' && value === search['status'])?.value;
  return {
    ...(isText(name) && { name_contains: name }),
    ...(status && { status }),
    ...readTimeRange(search),
    ...readFields(TRACE_FIELDS, search),
    ...readSort(search, TRACE_SORTS),
    ...(isText(cols) && { cols }),
  };
}

/** The filters that the API is asked for. @param now milliseconds; a range that goes with the clock ends then. */
export function traceFilters(search: TracesSearch, now: number): Query {
  const {
    cols: _cols,
    sort_by: _by,
    sort_order: _order,
    range: _range,
    since: _since,
    until: _until,
    ...rest
  } = search;
  return { ...rest, ...endsOf(search, now) };
}

/** The order that the API is asked for. */
export function traceOrder({ sort_by, sort_order }: TracesSearch): Query {
  return { sort_by, sort_order };
}

/** The search parameters without any filter. What is no filter stays. */
export function withoutFilters(search: TracesSearch): TracesSearch {
  return withoutRange(omit(omit(withoutFields(search, TRACE_FIELDS), 'name_contains'), 'status'));
}

/** The filters that are on, one by one. @param format writes a moment. */
export function filterChips(search: TracesSearch, format: (at: number) => string): FilterChip<TracesSearch>[] {
  const chips: FilterChip<TracesSearch>[] = [];
  const add = (name: string, value: string | undefined, without: FilterChip<TracesSearch>['without']): void => {
    if (value !== undefined) chips.push({ name, value, without });
  };
  add('Name', search.name_contains, (before) => omit(before, 'name_contains'));
  add('Status', STATUS_OPTIONS.find(({ value }) => value === search.status)?.label, (before) => omit(before, 'status'));
  const hasRange = search.range !== undefined || search.since !== undefined || search.until !== undefined;
  add('Time range', hasRange ? describeRange(search, format) : undefined, withoutRange);
  return [...chips, ...fieldChips(TRACE_FIELDS, search)];
}

/** The search parameters with a range in the place of the one before. */
export function withRange(search: TracesSearch, range: TimeRange): TracesSearch {
  return { ...withoutRange(search), ...range };
}

function withoutRange({ range: _range, since: _since, until: _until, ...rest }: TracesSearch): TracesSearch {
  return rest;
}

function omit(search: TracesSearch, name: keyof TracesSearch): TracesSearch {
  return Object.fromEntries(Object.entries(search).filter(([other]) => other !== name));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
