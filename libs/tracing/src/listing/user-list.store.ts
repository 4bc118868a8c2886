import { Injectable } from '@nestjs/common';
import {
  formatTimestamp,
  isStorableText,
  type ListUsers,
  type ReadUser,
  type UserResource,
  type UserSortKey,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  betweenStarts,
  containsText,
  fillPage,
  integer,
  joinSql,
  nullable,
  number,
  orderBy,
  plannedOnce,
  rawSql,
  shapeOf,
  sql,
  startedIn,
  startOf,
  Storage,
  text,
  type Page,
  type Query,
  type RowOfShape,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { BoundedScan } from '../reading/bounded-scan.js';
import { ScoresPort } from '../reading/scores-port.js';
import { prefixed } from './facet-list.store.js';
import { SUMMED_TRACES, TRACE_SUMS, traceSumsOf } from './session-list.store.js';

const USER = TRACE_SUMS.and(
  shapeOf({
    userId: text(),
    sessionCount: integer(),
    callCount: integer(),
    firstSeen: integer(),
    lastSeen: integer(),
  }),
);
type UserRow = RowOfShape<typeof USER>;

const COST = rawSql(`case when sum(cost_count) > 0 then cast(sum(cost_usd) as double precision)
    + cast(sum(cost_pico) as double precision) / cast(1000000000000 as double precision) end`);
const SUMS = sql`user_id as "userId", ${SUMMED_TRACES}, count(distinct session_id) as "sessionCount",
  sum(call_count) as "callCount", min(started_at) as "firstSeen", max(started_at) as "lastSeen"`;

/** Traces that are few whatever the project has. */
const FEW = 10_000;
const ONE = shapeOf({ one: integer() });

/** A user and what the list is sorted by. */
const SORTED_USER = shapeOf({ userId: text(), value: nullable(number()) });
const SORTED = {
  last_seen: rawSql('max(started_at)'),
  cost: COST,
  calls: rawSql('sum(call_count)'),
  tokens: rawSql('sum(total_tokens)'),
  errors: rawSql('sum(error_count)'),
} as const satisfies Record<UserSortKey, Sql>;

const sortingOf = ({ sort_by: by, sort_order: order }: ListUsers): Sorting => ({
  list: `users:${by}:${order}`,
  column: 'value',
  idColumn: '"userId"',
  type: by === 'cost' ? 'number' : 'integer',
  nullable: by === 'cost',
  order,
});

/** `/api/users`: what the traces of each user come to (docs/spec/users.md), all of which are read: the bound is that of scans. */
@Injectable()
export class UserListStore {
  constructor(
    private readonly storage: Storage,
    private readonly scans: BoundedScan,
    private readonly scores: ScoresPort,
  ) {}

  /** @throws Invalid `invalid_cursor`; DomainError `range_too_large`. */
  async list(scope: Scope, query: ListUsers): Promise<Page<UserResource>> {
    const sorting = sortingOf(query);
    const from = startOf(sorting, query.cursor);
    if (![query.prefix ?? '', query.id_contains ?? ''].every(isStorableText)) {
      return { items: [], nextCursor: null };
    }
    // Postgres by itself would read a small table whole, rather than the index with the sums (ADR 0090).
    const isLong = await this.isLong(scope, query);
    const traces = tracesOf(scope, query, isLong);
    const planned = isLong ? plannedOnce : <Row>(one: Query<Row>): Query<Row> => one;
    const page = await fillPage(
      sorting,
      from,
      query.limit,
      async (part, start, count) => ({
        rows: await this.scans.readTraces(
          traces,
          planned(
            SORTED_USER.query`select * from (
                select user_id as "userId", ${SORTED[query.sort_by]} as value ${traces} group by user_id
              ) users where ${behind(sorting, part, start)} order by ${orderBy(sorting, part)} limit ${count}`,
          ),
          scope,
        ),
      }),
      ({ userId: id, value }) => ({ value, id }),
    );
    const users = await this.sums(
      scope,
      tracesOf(scope, query),
      page.items.map(({ userId }) => userId),
    );
    return {
      items: query.include ? await this.withScores(scope, users, query) : users,
      nextCursor: page.nextCursor,
    };
  }

  /** Whether the range has so large a part of all traces that these are read in the order of users, those of others among them. */
  private async isLong(scope: Scope, { since, until }: ListUsers): Promise<boolean> {
    if (since === undefined && until === undefined) return true;
    if (this.storage.dialect === 'sqlite') return false;
    const rows = await this.storage.readLong(
      plannedOnce(
        ONE.query`select 1 as one from trace where project_id = ${scope.projectId}${betweenStarts('started_at', since, until)}
          limit 1 offset (select greatest(${FEW}, cast(reltuples / 4 as bigint)) from pg_class where oid = 'trace'::regclass)`,
      ),
      scope,
    );
    return rows.length > 0;
  }

  /** Everything of a few users, by the index on users. @throws DomainError `range_too_large`. */
  private async sums(scope: Scope, range: Sql, ids: readonly string[]): Promise<UserResource[]> {
    if (ids.length === 0) return [];
    const traces = sql`${range} and ${anyOf('user_id', ids)}`;
    const rows = await this.scans.readTraces(traces, USER.query`select ${SUMS} ${traces} group by user_id`, scope);
    const byId = new Map(rows.map((row) => [row.userId, userResource(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** @returns `undefined` where no trace of the range has the user. @throws DomainError `range_too_large`. */
  async find(scope: Scope, userId: string, query: ReadUser): Promise<UserResource | undefined> {
    if (!isStorableText(userId)) return undefined;
    const [found] = await this.sums(scope, tracesOf(scope, query), [userId]);
    if (!found) return undefined;
    const [user] = await this.withScores(scope, [found], query);
    return Object.keys(user!.scores ?? {}).length > 0 ? user : found;
  }

  private async withScores(scope: Scope, users: readonly UserResource[], range: ReadUser): Promise<UserResource[]> {
    const ids = users.map(({ user_id: id }) => id);
    const sums = await this.scores.registered?.sumsOfUsers(scope, ids, range);
    return users.map((user) => ({ ...user, scores: sums?.get(user.user_id) ?? {} }));
  }
}

/** @param isLong keeps Postgres from the index on starts. */
function tracesOf(
  { projectId }: Scope,
  query: ReadUser & Pick<ListUsers, 'prefix' | 'id_contains'>,
  isLong = false,
): Sql {
  const { prefix, id_contains: needle } = query;
  const conditions = [sql`from trace where project_id = ${projectId} and user_id is not null`];
  const range = startedIn(isLong ? 'started_at + 0' : 'started_at', query);
  if (needle !== undefined) conditions.push(containsText('user_id', needle));
  return sql`${joinSql(conditions, ' and ')}${range}${prefixed(rawSql('user_id'), prefix)}`;
}

const userResource = (user: UserRow): UserResource => ({
  user_id: user.userId,
  ...traceSumsOf(user),
  session_count: user.sessionCount,
  call_count: user.callCount,
  first_seen_at: formatTimestamp(user.firstSeen),
  last_seen_at: formatTimestamp(user.lastSeen),
});
