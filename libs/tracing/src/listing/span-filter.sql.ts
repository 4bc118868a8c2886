import { isStorableText, type SpanFilters, type ListSpans } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  betweenStarts,
  containsText,
  joinSql,
  onPostgres,
  onSqlite,
  rawSql,
  sql,
  unindexed,
  type Sql,
} from '@spandrel/storage';
import { METADATA_COLUMNS, type MetadataColumn } from '../metadata/metadata.entity.js';
import type { MetadataQuery } from '../metadata/metadata-index.store.js';
import type { Scored } from '../reading/scores-port.js';
import { STATUS } from '../span.entity.js';

/** Integer columns end here on both databases. */
const INTEGER_MAX = 9_000_000_000_000_000_000;

/** Filters that an index in start order serves; of them the ones that are ranges of the start. */
export type IndexedFilter = EqualityFilter | 'since' | 'until';

/** Filters for one value and their columns, each with an index of its spans in start order; likely the rarer ones first. */
const EQUALITY_FILTERS = {
  trace_id: 'trace_id',
  parent_id: 'parent_id',
  status: 'status',
  model: 'model',
  provider: 'provider',
  ...(Object.fromEntries(METADATA_COLUMNS.map((column) => [column, column])) as Record<MetadataColumn, string>),
  kind: 'kind_type',
} as const;
export type EqualityFilter = keyof typeof EQUALITY_FILTERS;
const EQUALITIES = Object.keys(EQUALITY_FILTERS) as EqualityFilter[];

/** Spans of a trace or of a parent lie together. */
export const isOfOneTrace = (filter: EqualityFilter): boolean => filter === 'trace_id' || filter === 'parent_id';

/** Numbers that are indexed by time bucket and value, and their columns. */
export const VALUES = { duration: 'duration_ms', tokens: 'total_tokens', cost: 'cost' } as const;
export type ValueName = keyof typeof VALUES;

/** Filters on numbers; those of whole numbers take the next one. */
const BOUNDS = [
  { filter: 'duration_min', name: 'duration', operator: '>=', round: Math.ceil },
  { filter: 'duration_max', name: 'duration', operator: '<=', round: Math.floor },
  { filter: 'tokens_min', name: 'tokens', operator: '>=', round: Math.ceil },
  { filter: 'cost_min', name: 'cost', operator: '>=', round: undefined },
] as const;
type NumberFilters = Pick<SpanFilters, (typeof BOUNDS)[number]['filter']>;

/** The conditions of filters on numbers. @param columnOf what has a number; `undefined` leaves its filters out. */
export const numberConditions = (filters: NumberFilters, columnOf: (name: ValueName) => Sql | undefined): Sql[] =>
  BOUNDS.flatMap(({ filter, name, operator, round }) => {
    const [bound, column] = [filters[filter], columnOf(name)];
    if (bound === undefined || column === undefined) return [];
    return sql`${column} ${rawSql(operator)} ${round ? cappedInteger(round(bound)) : bound}`;
  });

export const isValue = (name: string): name is ValueName => name in VALUES;

/**
 * The conditions of the filters on the span's own columns, from `span s` (docs/spec/spans.md#filters).
 * @param indexed the filters whose index is to serve; the spans that it finds are tested for the others.
 * @returns `null` when nothing can match: a text that no column can hold.
 */
export function spanConditions(
  scope: Scope,
  query: SpanQuery,
  indexed: readonly IndexedFilter[] = [],
): readonly Sql[] | null {
  const texts = [query.name_contains, ...EQUALITIES.map((filter) => query[filter])];
  if (texts.some((text) => text !== undefined && !isStorableText(text))) return null;
  const { within } = query;
  const conditions: Sql[] = [
    sql`${ofProject('s', scope, query.ids, query.scoredOrder !== undefined)}${betweenStarts('s.started_at', within?.from, within?.until)}`,
  ];
  const add = <T>(value: T | undefined, condition: (value: T) => Sql): void => {
    if (value !== undefined) conditions.push(condition(value));
  };
  const column = (filter: IndexedFilter, name: string): Sql => (indexed.includes(filter) ? rawSql : unindexed)(name);
  for (const filter of EQUALITIES) {
    if (filter === 'status') continue;
    add(query[filter], (value) => sql`${column(filter, `s.${EQUALITY_FILTERS[filter]}`)} = ${value}`);
  }
  add(query.status, (status) =>
    indexed.includes('status') ? statusIs('s', STATUS[status]) : sql`${unindexed('s.status')} = ${STATUS[status]}`,
  );
  add(query.since, (since) => sql`${column('since', 's.started_at')} >= ${since}`);
  add(query.until, (until) => sql`${column('until', 's.started_at')} < ${until}`);
  add(query.name_contains, (needle) => containsText('s.name', needle));
  conditions.push(...numberConditions(query, (name) => unindexed(`s.${VALUES[name]}`)));
  conditions.push(...(query.scored ?? []));
  return conditions;
}

/**
 * The condition of rows of a project, with some ids alone where there are any. SQLite has no statistics: it looks for ids in
 * all rows of the project, unless it sees project and id as one key.
 * @param areFound whether rows are found otherwise and tested for their ids alone: Postgres would look for all of a thousand ids in the
 *   index for each of these, 0.5 ms a row.
 */
export function ofProject(
  alias: string,
  { projectId }: Scope,
  ids: readonly string[] | undefined,
  areFound = false,
): Sql {
  const column = `${alias}.project_id`;
  if (ids === undefined) return sql`${rawSql(column)} = ${projectId}`;
  const texts = ids.filter(isStorableText);
  const keys = sql` and (${rawSql(`${column}, ${alias}.id`)}) in (select ${projectId}, value from json_each(${JSON.stringify(texts)}))`;
  return sql`${unindexed(column)} = ${projectId}${onSqlite(keys)}${onPostgres(sql` and ${anyOf(`${alias}.id${areFound ? " || ''" : ''}`, texts)}`)}`;
}

/** The filters among the equality filters that an index serves: none has the completed spans, which are most of them. */
export const equalityFilters = (query: SpanQuery): EqualityFilter[] =>
  EQUALITIES.filter((filter) => query[filter] !== undefined && query[filter] !== 'completed');

/** The numbers that there is a filter on. */
export const filteredValues = (query: SpanFilters): ValueName[] => [
  ...new Set(BOUNDS.flatMap(({ filter, name }) => (query[filter] === undefined ? [] : name))),
];

/** Which spans the filters on a number take, in a form that its index serves. */
export const inRange = (query: SpanFilters, name: ValueName): Sql =>
  joinSql(
    numberConditions(query, (one) => (one === name ? rawSql(`s.${VALUES[name]}`) : undefined)),
    ' and ',
  );

/** Written out, and with the condition of the partial index, so that SQLite sees that the index serves. */
export const statusIs = (alias: string, status: number): Sql =>
  rawSql(
    `${alias}.status = ${status}${status === STATUS.completed ? '' : ` and ${alias}.status <> ${STATUS.completed}`}`,
  );

/** A bound that integer columns of both databases can be compared with. */
const cappedInteger = (value: number): number => Math.max(-INTEGER_MAX, Math.min(INTEGER_MAX, value));

/** Whole days, in milliseconds since the epoch; `until` is not in it. Open where there is none. */
export interface StartRange {
  from?: number | undefined;
  until?: number | undefined;
}

/** A list's filters, and a range of starts to which one look at the database is limited, on Postgres. */
export type SpanQuery = ListSpans &
  MetadataQuery &
  Scored & {
    within?: StartRange;
    /** The days that have partitions, where these are many; the spans of others lie in the default partition. */
    days?: readonly number[];
  };
