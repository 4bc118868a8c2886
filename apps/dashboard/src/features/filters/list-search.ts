import type { Query } from '../../api/api.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { readFields, fieldChips, type FilterChip, type FilterField } from './filter-field.js';
import { endsOf, describeRange, readTimeRange, type TimeRange } from './time-range.js';

/** Search parameters of a list, by the API's own names: filters, range, order, columns. */
export interface ListSearch extends TimeRange, ListSort {
  cols?: string;
  /** Id of the row that is shown beside the list. */
  peek?: string;
  [filter: string]: string | string[] | undefined;
}

/** A filter that has its field above the list. */
export interface BarFilter {
  /** Search parameter: `name_contains`. */
  id: string;
  /** What its button says when it is on: `Name`. */
  label: string;
  /** Label of the field: `Filter by name`. */
  field: string;
  /** A text that counts while one types, one that counts with Enter, or one of few. */
  type: 'typed' | 'entered' | 'choice';
  /** What a choice offers; the empty value is no filter. */
  options?: readonly { value: string; label: string }[];
  /** Whether it is how the list is asked for and no filter: no button takes it away. */
  isMode?: boolean;
}

export interface ListParameters {
  bar: readonly BarFilter[];
  /** What the menu `Add filter` offers, in its order. */
  fields: readonly FilterField[];
  sorts: OfferedSorts;
  /** Whether rows are of no time, so that no range is offered. */
  isTimeless?: boolean;
}

/** Reads an address; what it does not know is left out. */
export function readListSearch(search: Record<string, unknown>, parameters: ListParameters): ListSearch {
  const { bar, fields, isTimeless } = parameters;
  const { cols, peek } = search;
  const inBar = bar.filter(({ id, options }) => {
    const value = search[id];
    return isText(value) && (options === undefined || options.some((option) => option.value === value));
  });
  return {
    ...Object.fromEntries(inBar.map(({ id }) => [id, search[id] as string])),
    ...(!isTimeless && readTimeRange(search)),
    ...readFields(fields, search),
    ...readSort(search, offeredSorts(parameters, search)),
    ...(isText(cols) && { cols }),
    ...(isText(peek) && { peek }),
  };
}

/** The filters that the API is asked for. @param now milliseconds; a range that goes with the clock ends then. */
export function listFilters(search: ListSearch, now: number): Query {
  const {
    cols: _cols,
    peek: _peek,
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
export const listOrder = ({ sort_by, sort_order }: ListSearch): Query => ({ sort_by, sort_order });

/** The filters that are on, one by one. @param format writes a moment. */
export function listChips(
  search: ListSearch,
  { bar, fields }: ListParameters,
  format: (at: number) => string,
): FilterChip<ListSearch>[] {
  const inBar = bar.flatMap(({ id, label, options, isMode }): FilterChip<ListSearch>[] => {
    const value = search[id];
    if (typeof value !== 'string' || isMode) return [];
    const words = options?.find((option) => option.value === value)?.label ?? value;
    return [{ name: label, value: words, without: (before) => withMember(before, id, '') }];
  });
  const hasRange = search.range !== undefined || search.since !== undefined || search.until !== undefined;
  const range = hasRange ? [{ name: 'Time range', value: describeRange(search, format), without: withoutRange }] : [];
  return [...inBar, ...range, ...fieldChips(fields, search)];
}

/** The search parameters with another value of one of them; the empty one is none. */
export function withMember<Search extends object>(search: Search, member: keyof Search, value: string): Search {
  const { [member]: _before, ...rest } = search;
  return (value === '' ? rest : { ...rest, [member]: value }) as Search;
}

/** The search parameters of the bare list, without filters and in its own order. Columns stay. */
export function bareSearch({ cols }: ListSearch): ListSearch {
  return cols === undefined ? {} : { cols };
}

/** The search parameters with a range in the place of the one before. */
export function withRange(search: ListSearch, range: TimeRange): ListSearch {
  return { ...withoutRange(search), ...range };
}

function withoutRange({ range: _range, since: _since, until: _until, ...rest }: ListSearch): ListSearch {
  return rest;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The parameters of these names that an address has, as far as they are texts. */
export function readTexts<Name extends string>(search: Record<string, unknown>, names: readonly Name[]) {
  return Object.fromEntries(names.filter((name) => isText(search[name])).map((name) => [name, search[name]])) as {
    [name in Name]?: string;
  };
}

/** The order of a list in the address, by the API's own names; left out for the usual one. */
export interface ListSort {
  sort_by?: string;
  sort_order?: 'asc' | 'desc';
}

/** By what a list can be sorted. */
export interface OfferedSorts {
  /** Keys of the API by ids of columns. */
  keys: Readonly<Record<string, string>>;
  /** What it is sorted by when nobody chose. */
  usual: Required<ListSort>;
}

const SCORE_SORT = 'score:';

/**
 * By what a list can be sorted with these search parameters: with a filter by a score, or an order by one, the column of
 * scores sorts by that score.
 */
export function offeredSorts({ sorts, fields }: ListParameters, search: Record<string, unknown>): OfferedSorts {
  if (!fields.some(({ isScore }) => isScore)) return sorts;
  const { sort_by, score } = search;
  const isByScore = isText(sort_by) && sort_by.startsWith(SCORE_SORT) && sort_by !== SCORE_SORT;
  const name = isByScore ? sort_by.slice(SCORE_SORT.length) : [score ?? []].flat().flatMap(scoreNames)[0];
  return name === undefined ? sorts : { ...sorts, keys: { ...sorts.keys, scores: SCORE_SORT + name } };
}

/** The name in a condition on a score: a JSON string, or what stands before the bound or label. */
function scoreNames(condition: unknown): string[] {
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(String(condition))?.[0];
  if (quoted === undefined)
    return (
      String(condition)
        .match(/^[^<>=:]+/)
        ?.slice(0, 1) ?? []
    );
  try {
    return [JSON.parse(quoted) as string];
  } catch {
    return [];
  }
}

/** Reads the order of an address, leniently. */
export function readSort(search: Record<string, unknown>, { keys, usual }: OfferedSorts): ListSort {
  const by = Object.values(keys).find((key) => key === search['sort_by']) ?? usual.sort_by;
  const order = search['sort_order'] === 'asc' || search['sort_order'] === 'desc' ? search['sort_order'] : 'desc';
  return writeSort({ sort_by: by, sort_order: order }, usual);
}

/** The columns with what sorts by them, for those by which the server can sort. */
export function sortedColumns<Row>(
  columns: readonly GridColumn<Row>[],
  { keys, usual }: OfferedSorts,
  sort: ListSort,
  onSort: (sort: ListSort) => void,
): GridColumn<Row>[] {
  const now = { ...usual, ...(sort.sort_by !== undefined && { sort_order: 'desc' as const }), ...sort };
  return columns.map((column) => {
    const key = keys[column.id];
    if (key === undefined) return column;
    const isSorted = now.sort_by === key;
    const next = isSorted && now.sort_order === 'desc' ? 'asc' : 'desc';
    return {
      ...column,
      ...(key.startsWith(SCORE_SORT) && { note: key.slice(SCORE_SORT.length) }),
      sort: {
        direction: isSorted ? (now.sort_order === 'asc' ? 'ascending' : 'descending') : 'none',
        onSort: () => onSort(writeSort({ sort_by: key, sort_order: next }, usual)),
      },
    };
  });
}

/** The largest comes first unless the address says otherwise. */
function writeSort(sort: Required<ListSort>, usual: Required<ListSort>): ListSort {
  if (sort.sort_by === usual.sort_by && sort.sort_order === usual.sort_order) return {};
  return sort.sort_by === usual.sort_by ? { sort_order: sort.sort_order } : { ...sort };
}

/** Values of the combobox `Status`; the empty one is any. */
export const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
] as const;
