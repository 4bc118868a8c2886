import { Injectable } from '@nestjs/common';
import { formatTimestamp, type ListSessions, type SessionResource } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  fillPage,
  integer,
  nullable,
  orderBy,
  shapeOf,
  startOf,
  Storage,
  text,
  type LongReadOptions,
  type Page,
  type RowOfShape,
  type Sorting,
} from '@spandrel/storage';
import { costOf } from '../write/cost-sum.js';

const SESSION = shapeOf({ sessionId: text(), startedAt: integer() });

/** Sessions by their first trace, newest first. */
const SORTING: Sorting = {
  list: 'sessions:started_at:desc',
  column: 'started_at',
  idColumn: 'session_id',
  type: 'integer',
  nullable: false,
  order: 'desc',
};

const SUMS = SESSION.and(
  shapeOf({
    traceCount: integer(),
    spanCount: integer(),
    totalTokens: integer(),
    costUsd: integer(),
    costPico: integer(),
    costCount: integer(),
    unpricedCount: integer(),
    openCount: integer(),
    lastEndedAt: nullable(integer()),
  }),
);
type SessionRow = RowOfShape<typeof SUMS>;

/**
 * `GET /api/sessions`: which sessions there are, found in the index on them, and the sums of those on the page
 * (docs/spec/sessions.md#listing-sessions).
 */
@Injectable()
export class SessionListStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListSessions, options: LongReadOptions = {}): Promise<Page<SessionResource>> {
    const page = await fillPage(
      SORTING,
      startOf(SORTING, query.cursor),
      query.limit,
      async (part, start, count) => ({
        rows: await this.storage.readLong(
          SESSION.query`select session_id as "sessionId", started_at as "startedAt" from (
              select session_id, min(started_at) as started_at from trace
              where project_id = ${scope.projectId} and session_id is not null group by session_id
            ) sessions
            where ${behind(SORTING, part, start)} order by ${orderBy(SORTING, part)} limit ${count}`,
          options,
        ),
      }),
      ({ sessionId, startedAt }) => ({ value: startedAt, id: sessionId }),
    );
    const sums = await this.sums(
      scope,
      page.items.map(({ sessionId }) => sessionId),
      options,
    );
    const items = page.items.flatMap(({ sessionId }) => sums.get(sessionId) ?? []);
    return { items: items.map(sessionResource), nextCursor: page.nextCursor };
  }

  private async sums(scope: Scope, ids: readonly string[], options: LongReadOptions): Promise<Map<string, SessionRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.storage.readLong(
      SUMS.query`select session_id as "sessionId", min(started_at) as "startedAt", count(*) as "traceCount",
          sum(span_count) as "spanCount", sum(total_tokens) as "totalTokens",
          sum(cost_usd) as "costUsd", sum(cost_pico) as "costPico", sum(cost_count) as "costCount",
          sum(unpriced_count) as "unpricedCount",
          sum(case when span_count = 0 or running_count > 0 then 1 else 0 end) as "openCount",
          max(last_ended_at) as "lastEndedAt"
        from trace where project_id = ${scope.projectId} and ${anyOf('session_id', ids)} group by session_id`,
      options,
    );
    return new Map(rows.map((row) => [row.sessionId, row]));
  }
}

const sessionResource = (session: SessionRow): SessionResource => ({
  session_id: session.sessionId,
  trace_count: session.traceCount,
  span_count: session.spanCount,
  total_tokens: session.totalTokens,
  total_cost: session.costCount === 0 ? null : costOf({ usd: session.costUsd, pico: session.costPico }),
  unpriced_count: session.unpricedCount,
  started_at: formatTimestamp(session.startedAt),
  ended_at: session.openCount > 0 || session.lastEndedAt === null ? null : formatTimestamp(session.lastEndedAt),
});
