import {
  READ_STORE_SORTS,
  READ_STORE_TRACE_SORTS,
  type ReadStoreCapabilities,
  type ReadStoreFilters,
  type ReadStoreListQuery,
  type ReadStoreQuery,
  type ReadStoreQueryOf,
  type ReadStoreRange,
  type ReadStoreSort,
  type ReadStoreTextsQuery,
  type ReadStoreTraceFilters,
  type ReadStoreTraceQuery,
  type ReadStoreTraceSort,
} from '@spandrel/plugin-api';
import { DAY_MS, TEXTS, TRACE_COLUMNS } from './tables.sql.js';

export const literal = (value: string | number): string =>
  typeof value === 'number' ? numberLiteral(value) : `'${value.replace(/['\\]/g, '\\$&')}'`;

/** Several values, at least one. */
export const literals = (values: readonly string[]): string => `(${values.map(literal).join(', ')})`;

/** Whole numbers beyond those of 64 bits are written as others. */
const numberLiteral = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : `toFloat64('${String(value).replace('Infinity', 'inf')}')`;

/**
 * The condition behind `FINAL` that a row is of a project, and there. The engine does not know which column says that it was
 * deleted: it would look for versions everywhere then, also in days that are merged into one part.
 */
export const isOfProject = (projectId: string): string => `is_deleted = 0 AND project_id = ${literal(projectId)}`;

const like = (text: string, needle: string): string =>
  `${text} LIKE ${literal(`%${needle.replace(/[\\%_]/g, '\\$&')}%`)}`;

/** Conditions of filters that spans and traces have, on their columns. */
const SHARED = {
  status: (value: string) => `status = ${literal(value)}`,
  since: (value: number) => `started_at >= ${literal(value)}`,
  until: (value: number) => `started_at < ${literal(value)}`,
  name_contains: (value: string) => like('lower(name)', foldAscii(value)),
  duration_min: (value: number) => `duration_ms >= ${literal(value)}`,
  duration_max: (value: number) => `duration_ms <= ${literal(value)}`,
  tokens_min: (value: number) => `total_tokens >= ${literal(value)}`,
  cost_min: (value: number) => `cost >= ${literal(value)}`,
};
// `has` does not find an empty text in a list of low cardinality; `hasAll` does.
const OF_TRACES = {
  session_id: (value: string) => `session_id = ${literal(value)}`,
  user_id: (value: string) => `user_id = ${literal(value)}`,
  tag: (values: readonly string[]) => joined(['1', ...values.map((value) => `hasAll(tags, [${literal(value)}])`)]),
};
const TRACE_CONDITIONS = { ...SHARED, ...OF_TRACES, model: (value: string) => `hasAll(models, [${literal(value)}])` };
const SPAN_CONDITIONS = {
  ...SHARED,
  kind: (value: string) => `kind = ${literal(value)}`,
  model: (value: string) => `model = ${literal(value)}`,
  provider: (value: string) => `provider = ${literal(value)}`,
  text_contains: (value: string) => like(TEXTS, value),
  input_contains: (value: string) => `${like(TEXTS, value)} AND ${like('lower(input)', value)}`,
  output_contains: (value: string) => `${like(TEXTS, value)} AND ${like('lower(output)', value)}`,
  error_contains: (value: string) => like('lower(error)', value),
};

export const CAPABILITIES: ReadStoreCapabilities = {
  filters: Object.keys({ ...SPAN_CONDITIONS, ...OF_TRACES }) as (keyof ReadStoreFilters)[],
  sorts: Object.keys(READ_STORE_SORTS) as ReadStoreSort[],
  traceFilters: Object.keys(TRACE_CONDITIONS) as (keyof ReadStoreTraceFilters)[],
  traceSorts: Object.keys(READ_STORE_TRACE_SORTS) as ReadStoreTraceSort[],
  sums: true,
  percentiles: true,
  byId: true,
};

const joined = (conditions: readonly string[]): string => conditions.join(' AND ');

const conditionsOf = (known: object, filters: object): string[] =>
  Object.entries(filters).flatMap(([name, value]) => {
    const condition = (known as Record<string, (value: unknown) => string>)[name];
    return value === undefined || !condition ? [] : condition(value);
  });

const notIn = (column: string, values: readonly string[]): string[] =>
  values.length === 0 ? [] : [`${column} NOT IN ${literals(values)}`];

/** Rows that come with a question, as a table. */
export const rowsAsTable = (columns: string, rows: readonly object[]): string =>
  `format(JSONEachRow, ${literal(columns)}, ${literal(rows.map((row) => JSON.stringify(row)).join('\n'))})`;

/** The traces of a project as they are, some columns of them. */
export function tracesOf(database: string, query: ReadStoreQueryOf<object>, columns: readonly string[]): string {
  const { gone, traces } = query.instead;
  const other = notIn('id', [...gone, ...traces.map(({ id }) => id)]);
  const select = `SELECT ${columns.join(', ')} FROM`;
  const own = `${select} ${database}.traces FINAL WHERE ${joined([isOfProject(query.projectId), ...other])}`;
  return traces.length === 0 ? `(${own})` : `(${own} UNION ALL ${select} ${rowsAsTable(TRACE_COLUMNS, traces)})`;
}

/** The traces that are asked for. */
export const matchingTraces = (database: string, query: ReadStoreTraceQuery): string =>
  `${tracesOf(database, query, [...TRACE_MEMBERS])} WHERE ${joined(['1', ...conditionsOf(TRACE_CONDITIONS, query.filters)])}`;
const TRACE_MEMBERS = [
  ...['id', 'name', 'session_id', 'user_id', 'tags', 'models', 'status', 'started_at', 'duration_ms', 'cost'],
  ...['total_tokens', 'span_count'],
];

function spanConditions(database: string, query: ReadStoreQuery): string[] {
  const ofTraces = conditionsOf(OF_TRACES, query.filters);
  const traces = tracesOf(database, query, ['id', 'session_id', 'user_id', 'tags']);
  return [
    isOfProject(query.projectId),
    ...conditionsOf(SPAN_CONDITIONS, query.filters),
    ...notIn('id', query.except.spans),
    ...notIn('trace_id', query.except.traces),
    ...(ofTraces.length === 0 ? [] : [`trace_id IN (SELECT id FROM ${traces} WHERE ${joined(ofTraces)})`]),
  ];
}

/** The spans that are asked for. */
export const matchingSpans = (database: string, query: ReadStoreQuery): string =>
  `${database}.spans FINAL WHERE ${joined(spanConditions(database, query))}`;

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

/** How many rows there are, up to the limit. @param rows what stands behind `FROM`. */
export const countOf = (rows: string, limit: number): string =>
  `SELECT count() FROM (SELECT 1 FROM ${rows} LIMIT ${limit})`;

/** Rows of a part of a list in order, as an array of value and id. @param member that they are sorted by. */
export function selectInOrder(
  rows: string,
  member: string,
  { sort_order: order, part, behind, limit }: Pick<ReadStoreListQuery, 'sort_order' | 'part' | 'behind' | 'limit'>,
): string {
  const beyond = order === 'asc' ? '>' : '<';
  const conditions = [part === 'valued' ? `${member} IS NOT NULL` : `${member} IS NULL`];
  if (behind?.value === null) conditions.push(`id ${beyond} ${literal(behind.id)}`);
  else if (behind) conditions.push(`(${member}, id) ${beyond} (${literal(behind.value)}, ${literal(behind.id)})`);
  // Rows lie in the order of projects and minutes.
  if (behind && member === 'started_at') conditions.push(`${member} ${beyond}= ${literal(behind.value!)}`);
  const columns = part === 'valued' ? [member, 'id'] : ['id'];
  return `SELECT groupArray((value, id)) FROM (SELECT ${member} AS value, id FROM ${rows} AND ${joined(conditions)}
    ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')} LIMIT ${limit})`;
}

const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Texts of spans, as an array of id, input and output: their starts and traces say where they lie. */
export function textsOf(database: string, { projectId, spans }: ReadStoreTextsQuery): string {
  const starts = [...new Set(spans.map(({ started_at: start }) => start))];
  const traces = [...new Set(spans.map(({ trace_id: id }) => id))];
  const minutes = [...new Set(starts.map((start) => Math.trunc(start / 60_000)))];
  return `SELECT groupArray((s.id, s.input, s.output)) FROM ${database}.spans AS s FINAL
    WHERE ${isOfProject(projectId)} AND intDiv(s.started_at, 60000) IN (${minutes.map(literal).join(', ')})
    AND s.started_at BETWEEN ${literal(Math.min(...starts))} AND ${literal(Math.max(...starts))}
    AND s.trace_id IN ${literals(traces)} AND s.id IN ${literals(spans.map(({ id }) => id))}`;
}

/** The digest of a span's texts, as `textsDigest` of the plugin API has it. */
const DIGEST = `reinterpretAsUInt64(reverse(substring(MD5(concat(s.id, ' ', toString(length(ifNull(s.input, ''))), ' ',
  ifNull(s.input, ''), ifNull(s.output, ''))), 1, 5)))`;

/** How many spans of a range there are, and the sum of their digests. */
export const digestOf = (database: string, { projectId, since, until }: ReadStoreRange): string =>
  `SELECT (count(), toString(sum(toUInt128(${DIGEST})))) FROM ${database}.spans AS s FINAL
    WHERE ${isOfProject(projectId)} AND s.started_at >= ${literal(since)} AND s.started_at < ${literal(until)}`;
