import { isStorableText } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { anyOf, joinSql, shapeOf, sql, text, type Sql, type Storage } from '@spandrel/storage';

const ID = shapeOf({ id: text() });

/** Traces looked up beforehand; with more of them the spans are tested one by one, which then soon fills a page. */
const TRACES_LISTED_MAX = 1_000;

export interface TraceFilter {
  session_id?: string | undefined;
  user_id?: string | undefined;
  tag?: readonly string[] | undefined;
}

/** How the spans of the matching traces are found. */
export interface OfTraces {
  condition: Sql;
  /** The traces are few: their spans are looked up by trace, and an index in list order would be a detour. */
  few: boolean;
  ids?: readonly string[];
}

/**
 * The condition that a span's trace is in a session, is of a user and has all the tags.
 * @returns `undefined` without such a filter; `null` when no trace matches.
 */
export async function ofMatchingTraces(
  storage: Storage,
  scope: Scope,
  filter: TraceFilter,
): Promise<OfTraces | null | undefined> {
  const driven = drivenTraces(scope, filter);
  if (driven === null) return null;
  if (driven === undefined) return undefined;
  const rows = await storage.readLong(
    ID.query`select t.id as id from ${driven.from} where ${driven.where} limit ${TRACES_LISTED_MAX + 1}`,
    scope,
  );
  if (rows.length === 0) return null;
  if (rows.length <= TRACES_LISTED_MAX) {
    const ids = rows.map(({ id }) => id);
    return { condition: anyOf('s.trace_id', ids), few: true, ids };
  }
  const conditions = [sql`t.project_id = ${scope.projectId}`, sql`t.id = s.trace_id`, ...ofSessionAndUser(filter)];
  conditions.push(...(filter.tag ?? []).map(hasTag));
  // The offset keeps Postgres from a join of its own making, which without statistics is one of all spans with all traces.
  const ofTrace = sql`select 1 from trace t where ${joinSql(conditions, ' and ')} limit 1 offset 0`;
  return { condition: sql`exists (${ofTrace})`, few: false };
}

/** The tables in which traces with a session, a user or tags are found in list order: by the first tag where there is one. */
export interface DrivenTraces {
  from: Sql;
  where: Sql;
  /** The columns that hold the list order: start and id. */
  startedAt: string;
  id: string;
}

/** @returns `undefined` without a filter; `null` when nothing can match: a text that no column can hold. */
export function drivenTraces(scope: Scope, filter: TraceFilter): DrivenTraces | null | undefined {
  const { session_id: sessionId, user_id: userId, tag = [] } = filter;
  const [first, ...others] = tag;
  const texts = [sessionId, userId, ...tag].filter((text) => text !== undefined);
  if (texts.length === 0) return undefined;
  if (!texts.every(isStorableText)) return null;
  const conditions = [sql`t.project_id = ${scope.projectId}`, ...others.map(hasTag), ...ofSessionAndUser(filter)];
  if (first === undefined) {
    return { from: sql`trace t`, where: joinSql(conditions, ' and '), startedAt: 't.started_at', id: 't.id' };
  }
  conditions.push(sql`g.project_id = ${scope.projectId} and g.tag = ${first} and t.id = g.trace_id`);
  const from = sql`trace_tag g cross join trace t`;
  return { from, where: joinSql(conditions, ' and '), startedAt: 'g.started_at', id: 'g.trace_id' };
}

function ofSessionAndUser({ session_id: sessionId, user_id: userId }: TraceFilter): Sql[] {
  const conditions: Sql[] = [];
  if (sessionId !== undefined) conditions.push(sql`t.session_id = ${sessionId}`);
  if (userId !== undefined) conditions.push(sql`t.user_id = ${userId}`);
  return conditions;
}

/** Whether `trace t` has a tag. */
export const hasTag = (tag: string): Sql =>
  sql`exists (select 1 from trace_tag o where o.project_id = t.project_id and o.tag = ${tag}
    and o.started_at = t.started_at and o.trace_id = t.id limit 1 offset 0)`;
