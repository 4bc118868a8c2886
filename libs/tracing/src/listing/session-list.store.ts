import { Injectable } from '@nestjs/common';
import {
  formatTimestamp,
  isStorableText,
  SESSION_USERS_MAX,
  type ListSessions,
  type SessionResource,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  containsText,
  fillPage,
  integer,
  joinSql,
  nullable,
  orderBy,
  rawSql,
  shapeOf,
  sql,
  startedIn,
  startOf,
  Storage,
  text,
  type Page,
  type RowOfShape,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { costOf } from '../write/trace-rollup.js';

const SESSION = shapeOf({ sessionId: text(), startedAt: integer() });

const SORTING: Sorting = {
  list: 'sessions:started_at:desc',
  column: 'started_at',
  idColumn: 'session_id',
  type: 'integer',
  nullable: false,
  order: 'desc',
};

/** What several traces come to, as {@link SUMMED_TRACES} selects it. */
export const TRACE_SUMS = shapeOf({
  traceCount: integer(),
  spanCount: integer(),
  errorCount: integer(),
  totalTokens: integer(),
  costUsd: integer(),
  costPico: integer(),
  costCount: integer(),
  unpricedCount: integer(),
});

/** The columns of {@link TRACE_SUMS} of a group of rows of `trace`. */
export const SUMMED_TRACES = rawSql(`count(*) as "traceCount", sum(span_count) as "spanCount",
  sum(error_count) as "errorCount", sum(total_tokens) as "totalTokens", sum(cost_usd) as "costUsd",
  sum(cost_pico) as "costPico", sum(cost_count) as "costCount", sum(unpriced_count) as "unpricedCount"`);

/** What several traces come to, as the wire has it. */
export const traceSumsOf = (sums: RowOfShape<typeof TRACE_SUMS>) => ({
  trace_count: sums.traceCount,
  span_count: sums.spanCount,
  error_count: sums.errorCount,
  total_tokens: sums.totalTokens,
  total_cost: sums.costCount === 0 ? null : costOf({ usd: sums.costUsd, pico: sums.costPico }),
  unpriced_count: sums.unpricedCount,
});

const SUMS = SESSION.and(TRACE_SUMS).and(shapeOf({ openCount: integer(), lastEndedAt: nullable(integer()) }));
type SessionRow = RowOfShape<typeof SUMS>;

const USER = shapeOf({ sessionId: text(), userId: text() });

/** `GET /api/sessions`: sessions by the index on them, with sums and users (docs/spec/sessions.md#listing-sessions). */
@Injectable()
export class SessionListStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListSessions): Promise<Page<SessionResource>> {
    const from = startOf(SORTING, query.cursor);
    if (![query.id_contains ?? '', query.user_id ?? ''].every(isStorableText)) {
      return { items: [], nextCursor: null };
    }
    const page = await fillPage(
      SORTING,
      from,
      query.limit,
      async (part, start, count) => ({
        rows: await this.storage.readLong(
          SESSION.query`select session_id as "sessionId", started_at as "startedAt" from (
              select session_id, min(started_at) as started_at from trace
              where ${ofTraces(scope, query)} group by session_id
            ) sessions
            where ${behind(SORTING, part, start)}${startedIn('started_at', query)} order by ${orderBy(SORTING, part)} limit ${count}`,
          scope,
        ),
      }),
      ({ sessionId, startedAt }) => ({ value: startedAt, id: sessionId }),
    );
    const ids = page.items.map(({ sessionId }) => sessionId);
    const [sums, users] = await Promise.all([this.sums(scope, ids), this.users(scope, ids)]);
    const items = page.items.flatMap(({ sessionId }) => sums.get(sessionId) ?? []);
    return {
      items: items.map((session) => sessionResource(session, users.get(session.sessionId) ?? [])),
      nextCursor: page.nextCursor,
    };
  }

  private async sums(scope: Scope, ids: readonly string[]): Promise<Map<string, SessionRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.storage.readLong(
      SUMS.query`select session_id as "sessionId", min(started_at) as "startedAt", ${SUMMED_TRACES},
          sum(case when span_count = 0 or running_count > 0 then 1 else 0 end) as "openCount",
          max(last_ended_at) as "lastEndedAt"
        from trace where project_id = ${scope.projectId} and ${anyOf('session_id', ids)} group by session_id`,
      scope,
    );
    return new Map(rows.map((row) => [row.sessionId, row]));
  }

  /** The first users of each session, in the order in which they came. */
  private async users(scope: Scope, ids: readonly string[]): Promise<Map<string, readonly string[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.storage.readLong(
      USER.query`select session_id as "sessionId", user_id as "userId" from (
          select session_id, user_id,
            row_number() over (partition by session_id order by min(started_at), user_id) as place
          from trace where project_id = ${scope.projectId} and ${anyOf('session_id', ids)} and user_id is not null
          group by session_id, user_id
        ) users where place <= ${SESSION_USERS_MAX} order by session_id, place`,
      scope,
    );
    const grouped = Map.groupBy(rows, ({ sessionId }) => sessionId);
    return new Map([...grouped].map(([id, users]) => [id, users.map(({ userId }) => userId)]));
  }
}

/** The traces of the sessions that are listed; all traces of such a session are among them. */
function ofTraces({ projectId }: Scope, { id_contains: needle, user_id: userId }: ListSessions): Sql {
  const conditions = [sql`project_id = ${projectId} and session_id is not null`];
  if (needle !== undefined) conditions.push(containsText('session_id', needle));
  if (userId !== undefined) {
    conditions.push(sql`session_id in (select u.session_id from trace u
      where u.project_id = ${projectId} and u.user_id = ${userId} and u.session_id is not null)`);
  }
  return joinSql(conditions, ' and ');
}

const sessionResource = (session: SessionRow, userIds: readonly string[]): SessionResource => ({
  session_id: session.sessionId,
  ...traceSumsOf(session),
  user_ids: [...userIds],
  started_at: formatTimestamp(session.startedAt),
  ended_at: session.openCount > 0 || session.lastEndedAt === null ? null : formatTimestamp(session.lastEndedAt),
});
