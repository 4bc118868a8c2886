import {
  READ_STORE_SORTS,
  type ReadStoreCapabilities,
  type ReadStoreFilters,
  type ReadStoreListQuery,
  type ReadStoreQuery,
} from '@spandrel/plugin-api';
import { textsIn } from './tables.sql.js';

/** A value in a statement. */
export const literal = (value: string | number): string =>
  typeof value === 'number' ? numberLiteral(value) : `'${value.replace(/['\\]/g, '\\$&')}'`;

/** Several values, at least one. */
export const literals = (values: readonly string[]): string => `(${values.map(literal).join(', ')})`;

/** Whole numbers beyond those of 64 bits are written as others. */
const numberLiteral = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : `toFloat64('${String(value).replace('Infinity', 'inf')}')`;

const like = (text: string, needle: string): string =>
  `${text} LIKE ${literal(`%${needle.replace(/[\\%_]/g, '\\$&')}%`)}`;

/** The condition of each filter on `spans s`. */
const CONDITIONS: { [Name in keyof ReadStoreFilters]-?: (value: NonNullable<ReadStoreFilters[Name]>) => string } = {
  kind: (value) => `s.kind = ${literal(value)}`,
  model: (value) => `s.model = ${literal(value)}`,
  provider: (value) => `s.provider = ${literal(value)}`,
  status: (value) => `s.status = ${literal(value)}`,
  since: (value) => `s.started_at >= ${literal(value)}`,
  until: (value) => `s.started_at < ${literal(value)}`,
  name_contains: (value) => like('lower(s.name)', foldAscii(value)),
  duration_min: (value) => `s.duration_ms >= ${literal(value)}`,
  duration_max: (value) => `s.duration_ms <= ${literal(value)}`,
  tokens_min: (value) => `s.total_tokens >= ${literal(value)}`,
  cost_min: (value) => `s.cost >= ${literal(value)}`,
  text_contains: (value) => like(textsIn('s'), value),
  input_contains: (value) => `${like(textsIn('s'), value)} AND ${like('lower(s.input)', value)}`,
  output_contains: (value) => `${like(textsIn('s'), value)} AND ${like('lower(s.output)', value)}`,
  error_contains: (value) => like('lower(s.error)', value),
};

export const CAPABILITIES: ReadStoreCapabilities = {
  filters: Object.keys(CONDITIONS) as (keyof ReadStoreFilters)[],
  sorts: ['started_at', 'duration', 'tokens', 'cost', 'name'],
  byId: true,
};

/** What stands behind `FROM`: the spans `s` that are asked for. */
function queryOf(database: string, { projectId, filters, except }: ReadStoreQuery): string {
  const conditions = [
    `s.project_id = ${literal(projectId)}`,
    ...Object.entries(filters).flatMap(([name, value]) =>
      value === undefined ? [] : (CONDITIONS[name as keyof ReadStoreFilters] as (of: unknown) => string)(value),
    ),
    ...(except.spans.length > 0 ? [`s.id NOT IN ${literals(except.spans)}`] : []),
    ...(except.traces.length > 0 ? [`s.trace_id NOT IN ${literals(except.traces)}`] : []),
  ];
  return `${database}.spans AS s FINAL WHERE ${conditions.join(' AND ')}`;
}

const DAY_MS = 86_400_000;
/** Days of the windows in which a list in start order is read, one after the other; one more takes what is left. */
const WINDOW_DAYS = [1, 7, 30];

/** A list in start order as several, one behind the other: rows lie in this order, and a page is full soon. */
export function windowsOf(query: ReadStoreListQuery, now: number): ReadStoreListQuery[] {
  const { filters, sort_by: sort, sort_order: order, behind } = query;
  const from = Number(behind?.value ?? (order === 'asc' ? filters.since : Math.min(filters.until ?? Infinity, now)));
  if (sort !== 'started_at' || !Number.isFinite(from)) return [query];
  const within = (since: number, until: number): ReadStoreListQuery => ({
    ...query,
    filters: {
      ...filters,
      since: Math.max(since, filters.since ?? -Infinity),
      until: Math.min(until, filters.until ?? Infinity),
    },
  });
  const edges = [0, ...WINDOW_DAYS, Infinity].map((days) => from + (order === 'asc' ? days : -days) * DAY_MS);
  return edges.slice(1).map((edge, at) => {
    const before = at === 0 ? (order === 'asc' ? -Infinity : Infinity) : edges[at]!;
    return order === 'asc' ? within(before, edge) : within(edge, before);
  });
}

/** How many spans there are, up to the limit. */
export const countOf = (database: string, query: ReadStoreQuery): string =>
  `SELECT count() FROM (SELECT 1 FROM ${queryOf(database, query)} LIMIT ${query.limit})`;

/** Spans of a part of a list in order, as an array of value and id. */
export function selectInOrder(database: string, query: ReadStoreListQuery): string {
  const { sort_by: sort, sort_order: order, part, behind, limit } = query;
  const value = `s.${READ_STORE_SORTS[sort]}`;
  const beyond = order === 'asc' ? '>' : '<';
  const conditions = [part === 'valued' ? `${value} IS NOT NULL` : `${value} IS NULL`];
  if (behind?.value === null) conditions.push(`s.id ${beyond} ${literal(behind.id)}`);
  else if (behind) conditions.push(`(${value}, s.id) ${beyond} (${literal(behind.value)}, ${literal(behind.id)})`);
  // Rows lie in the order of projects and minutes.
  if (behind && sort === 'started_at') conditions.push(`${value} ${beyond}= ${literal(behind.value!)}`);
  const columns = part === 'valued' ? [value, 's.id'] : ['s.id'];
  return `SELECT groupArray((value, id)) FROM (SELECT ${value} AS value, s.id AS id FROM ${queryOf(database, query)} AND ${conditions.join(' AND ')}
    ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')} LIMIT ${limit})`;
}

const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
