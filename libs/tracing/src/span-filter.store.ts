import { isStorableText, type ListSpans } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { containsText, rawSql, sql, type Sql } from '@spandrel/storage';
import { STATUS } from './status.js';

/** Integer columns end here on both databases. */
const INTEGER_MAX = 9_000_000_000_000_000_000;

/**
 * The conditions of the filters on the span's own columns, from `span s`.
 * @returns `null` when nothing can match: a text that no column can hold.
 */
export function spanConditions(scope: Scope, query: ListSpans): Sql[] | null {
  const texts = [query.trace_id, query.parent_id, query.kind, query.model, query.provider, query.name_contains];
  if (texts.some((text) => text !== undefined && !isStorableText(text))) return null;
  const conditions: Sql[] = [sql`s.project_id = ${scope.projectId}`];
  const add = <T>(value: T | undefined, condition: (value: T) => Sql): void => {
    if (value !== undefined) conditions.push(condition(value));
  };
  add(query.trace_id, (id) => sql`s.trace_id = ${id}`);
  add(query.parent_id, (id) => sql`s.parent_id = ${id}`);
  add(query.kind, (type) => sql`s.kind_type = ${type}`);
  add(query.model, (model) => sql`s.model = ${model}`);
  add(query.provider, (provider) => sql`s.provider = ${provider}`);
  add(query.status, (status) => statusIs('s', STATUS[status]));
  add(query.since, (since) => sql`s.started_at >= ${since}`);
  add(query.until, (until) => sql`s.started_at < ${until}`);
  add(query.name_contains, (needle) => containsText('s.name', needle));
  add(query.duration_min, (ms) => sql`s.duration_ms >= ${integer(Math.ceil(ms))}`);
  add(query.duration_max, (ms) => sql`s.duration_ms <= ${integer(Math.floor(ms))}`);
  add(query.tokens_min, (tokens) => sql`s.total_tokens >= ${integer(Math.ceil(tokens))}`);
  add(query.cost_min, (cost) => sql`s.cost >= ${cost}`);
  return conditions;
}

/** Written out, and with the condition of the partial index, so that SQLite sees that the index serves. */
export const statusIs = (alias: string, status: number): Sql =>
  rawSql(
    `${alias}.status = ${status}${status === STATUS.completed ? '' : ` and ${alias}.status <> ${STATUS.completed}`}`,
  );

const integer = (value: number): number => Math.max(-INTEGER_MAX, Math.min(INTEGER_MAX, value));
