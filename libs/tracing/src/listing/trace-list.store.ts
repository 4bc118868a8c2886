import { Injectable } from '@nestjs/common';
import { isStorableText, type ListTraces, type TimedTrace, type TraceFilters } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  containsText,
  fillPage,
  integer,
  joinSql,
  orderBy,
  rawSql,
  shapeOf,
  sql,
  startOf,
  Storage,
  type LongReadOptions,
  type Page,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { statusIs } from './span-filter.sql.js';
import { STATUS, statusName } from '../status.js';
import { TRACE_COLUMNS } from '../tables.js';
import type { TraceRow } from '../trace.entity.js';
import { drivenTraces, type DrivenTraces } from './trace-filter.sql.js';

const NUMBER = shapeOf({ number: integer() });
const TIMED = shapeOf({ began: integer(), status: integer() });

/** All traces, by the index on their start. */
const ALL: DrivenTraces = { from: sql`trace t`, where: sql`1 = 1`, startedAt: 't.started_at', id: 't.id' };

/** `GET /api/traces`: newest first (docs/spec/traces.md#listing-traces). */
@Injectable()
export class TraceListStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListTraces, options: LongReadOptions = {}): Promise<Page<TraceRow>> {
    const found = findTraces(scope, query);
    const sorting: Sorting = {
      list: 'traces:started_at:desc',
      column: found?.startedAt ?? ALL.startedAt,
      idColumn: found?.id ?? ALL.id,
      type: 'integer',
      nullable: false,
      order: 'desc',
      unindexed: query.ids !== undefined,
    };
    const from = startOf(sorting, query.cursor);
    if (!found) return { items: [], nextCursor: null };
    return fillPage(
      sorting,
      from,
      query.limit,
      async (part, start, count) => ({
        rows: await this.storage.readLong(
          TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from ${found.from}
            where ${found.where} and ${behind(sorting, part, start)}
            order by ${orderBy(sorting, part)} limit ${count}`,
          options,
        ),
      }),
      (trace) => ({ value: trace.startedAt, id: trace.id }),
    );
  }

  /** How many traces all filters take, up to one more than `max`. */
  async count(scope: Scope, filters: TraceFilters, max: number, options: LongReadOptions): Promise<number> {
    const found = findTraces(scope, filters);
    if (!found) return 0;
    const [row] = await this.storage.readLong(
      NUMBER.query`select count(*) as number from
        (select 1 as one from ${found.from} where ${found.where} limit ${max + 1}) taken`,
      options,
    );
    return row!.number;
  }

  /** When the newest traces that all filters take began, and their statuses; one more than `max` at most. */
  async listTimes(scope: Scope, filters: TraceFilters, max: number, options: LongReadOptions): Promise<TimedTrace[]> {
    const found = findTraces(scope, filters);
    if (!found) return [];
    const rows = await this.storage.readLong(
      TIMED.query`select ${rawSql(found.startedAt)} as began, t.status as status from ${found.from} where ${found.where}
        order by ${rawSql(found.startedAt)} desc limit ${max + 1}`,
      options,
    );
    return rows.map(({ began, status }) => ({ at: began, status: statusName(status) }));
  }
}

/** The tables and conditions of some filters; `undefined` when nothing can match. */
function findTraces(scope: Scope, filters: TraceFilters): DrivenTraces | undefined {
  const driven = drivenTraces(scope, filters);
  const conditions = conditionsOf(scope, filters);
  if (driven === null || conditions === null) return undefined;
  const { where, ...tables } = driven ?? ALL;
  return { ...tables, where: joinSql([...conditions, where], ' and ') };
}

function conditionsOf(scope: Scope, filters: TraceFilters): Sql[] | null {
  if (filters.name_contains !== undefined && !isStorableText(filters.name_contains)) return null;
  const conditions = [sql`t.project_id = ${scope.projectId}`];
  if (filters.ids !== undefined) conditions.push(anyOf('t.id', filters.ids.filter(isStorableText)));
  if (filters.name_contains !== undefined) conditions.push(containsText('t.name', filters.name_contains));
  if (filters.since !== undefined) conditions.push(sql`t.started_at >= ${filters.since}`);
  if (filters.until !== undefined) conditions.push(sql`t.started_at < ${filters.until}`);
  if (filters.status !== undefined) conditions.push(statusIs('t', STATUS[filters.status]));
  return conditions;
}
