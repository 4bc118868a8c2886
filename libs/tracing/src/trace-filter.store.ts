import { isStorableText } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { anyOf, joinSql, sql, type LongReadOptions, type Sql, type Storage } from '@spandrel/storage';

/** Traces looked up beforehand; with more of them the spans are tested one by one, which then soon fills a page. */
const TRACES_LISTED_MAX = 1_000;

export interface TraceFilter {
  session_id?: string | undefined;
  tag?: readonly string[] | undefined;
}

/**
 * The condition that a span's trace is in a session and has all the tags, from `span s`.
 * @returns `undefined` without such a filter; `null` when no trace matches.
 */
export async function ofMatchingTraces(
  storage: Storage,
  scope: Scope,
  filter: TraceFilter,
  options: LongReadOptions,
): Promise<Sql | null | undefined> {
  const conditions = traceConditions(filter);
  if (conditions === null) return null;
  if (conditions.length === 0) return undefined;
  const where = joinSql([sql`t.project_id = ${scope.projectId}`, ...conditions], ' and ');
  const rows = await storage.readLong<{ id: string }>(
    sql`select t.id as id from ${drivingTable(scope, filter)} where ${where} limit ${TRACES_LISTED_MAX + 1}`,
    options,
  );
  if (rows.length === 0) return null;
  if (rows.length <= TRACES_LISTED_MAX)
    return anyOf(
      's.trace_id',
      rows.map(({ id }) => id),
    );
  return sql`exists (select 1 from trace t where t.id = s.trace_id and ${where})`;
}

/** `trace t`, found by its first tag where there is one: the tag's rows are in list order already. */
export const drivingTable = (scope: Scope, { tag }: TraceFilter): Sql =>
  tag?.[0] === undefined
    ? sql`trace t`
    : sql`(select project_id, trace_id, started_at from trace_tag where project_id = ${scope.projectId} and tag = ${tag[0]}) g
        cross join trace t`;

/** @returns `null` when nothing can match: a text that no column can hold. */
export function traceConditions({ session_id: sessionId, tag = [] }: TraceFilter): Sql[] | null {
  if ([sessionId, ...tag].some((text) => text !== undefined && !isStorableText(text))) return null;
  const conditions = sessionId === undefined ? [] : [sql`t.session_id = ${sessionId}`];
  const [first, ...others] = tag;
  if (first !== undefined) conditions.push(sql`t.project_id = g.project_id and t.id = g.trace_id`);
  for (const other of others) {
    conditions.push(sql`exists (select 1 from trace_tag o where o.project_id = t.project_id and o.tag = ${other}
      and o.started_at = t.started_at and o.trace_id = t.id)`);
  }
  return conditions;
}
