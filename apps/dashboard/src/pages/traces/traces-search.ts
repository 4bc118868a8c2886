import type { StatusName } from '@spandrel/contract';
import type { Query } from '../../api/query-text.js';
import type { FilterChip } from '../../features/filters/filter-chip.js';
import { describeRange, endsOf, readTimeRange, type TimeRange } from '../../features/time-range/time-range.js';

/** Search parameters of the page of traces, by the API's own names. */
export interface TracesSearch extends TimeRange {
  name_contains?: string;
  status?: StatusName;
  tag?: string[];
  session_id?: string;
  user_id?: string;
  cols?: string;
}

/** Values of the combobox `Status`; the empty one is any. */
export const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
] as const;

/** Reads an address; what it does not know is left out. */
export function readTracesSearch(search: Record<string, unknown>): TracesSearch {
  const { name_contains: name, session_id: session, user_id: user, cols } = search;
  const status = STATUS_OPTIONS.find(({ value }) => value !== '' && value === search['status'])?.value;
  const tags = [search['tag'] ?? []].flat().filter((tag) => typeof tag === 'string');
  return {
    ...(isText(name) && { name_contains: name }),
    ...(status && { status }),
    ...readTimeRange(search),
    ...(tags.length > 0 && { tag: [...new Set(tags)] }),
    ...(typeof session === 'string' && { session_id: session }),
    ...(typeof user === 'string' && { user_id: user }),
    ...(isText(cols) && { cols }),
  };
}

/** What the API is asked for. @param now milliseconds; a range that goes with the clock ends then. */
export function traceFilters(search: TracesSearch, now: number): Query {
  const { name_contains, status, tag, session_id, user_id } = search;
  return { name_contains, status, tag, session_id, user_id, ...endsOf(search, now) };
}

/** The search parameters without any filter. What is no filter stays. */
export function withoutFilters({ cols }: TracesSearch): TracesSearch {
  return cols === undefined ? {} : { cols };
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
  for (const tag of search.tag ?? []) add('Tag', tag, (before) => withoutTag(before, tag));
  add('Session', search.session_id, (before) => omit(before, 'session_id'));
  add('User', search.user_id, (before) => omit(before, 'user_id'));
  return chips;
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

function withoutTag({ tag = [], ...rest }: TracesSearch, gone: string): TracesSearch {
  const others = tag.filter((one) => one !== gone);
  return others.length === 0 ? rest : { ...rest, tag: others };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
