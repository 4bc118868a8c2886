import { Injectable } from '@nestjs/common';
import type { ListTraces, TimedTrace, TraceFilters } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  behind,
  fillPage,
  integer,
  orderBy,
  rawSql,
  shapeOf,
  startOf,
  Storage,
  type LongReadOptions,
  type Page,
  type Position,
  type Sorting,
} from '@spandrel/storage';
import { statusName } from '../status.js';
import { TRACE_COLUMNS } from '../tables.js';
import type { TraceRow } from '../trace.entity.js';
import { ALL_TRACES, findTraces } from './find-traces.sql.js';
import { TRACE_VALUES } from './trace-values.sql.js';

const NUMBER = shapeOf({ number: integer() });
const TIMED = shapeOf({ began: integer(), status: integer() });

/** `GET /api/traces`: newest first unless sorted otherwise (docs/spec/traces.md#listing-traces). */
@Injectable()
export class TraceListStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListTraces, options: LongReadOptions = {}): Promise<Page<TraceRow>> {
    const { sort_by: sortBy, sort_order: order } = query;
    const found = await findTraces(this.storage, scope, query, options);
    const start = { column: found?.startedAt ?? ALL_TRACES.startedAt, type: 'integer', nullable: false } as const;
    const sorted = sortBy === 'started_at' ? start : TRACE_VALUES[sortBy];
    const sorting: Sorting = {
      list: `traces:${sortBy}:${order}`,
      column: sorted.column,
      idColumn: found?.id ?? ALL_TRACES.id,
      type: sorted.type,
      nullable: sorted.nullable,
      order,
      unindexed: query.ids !== undefined,
    };
    const from = startOf(sorting, query.cursor);
    if (!found) return { items: [], nextCursor: null };
    return fillPage(
      sorting,
      from,
      query.limit,
      async (part, position, count) => ({
        rows: await this.storage.readLong(
          TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from ${found.from}
            where ${found.where} and ${behind(sorting, part, position)}
            order by ${orderBy(sorting, part)} limit ${count}`,
          options,
        ),
      }),
      (trace): Position => ({
        value: sortBy === 'started_at' ? trace.startedAt : TRACE_VALUES[sortBy].of(trace),
        id: trace.id,
      }),
    );
  }

  /** How many traces all filters take, up to one more than `max`. */
  async count(scope: Scope, filters: TraceFilters, max: number, options: LongReadOptions): Promise<number> {
    const found = await findTraces(this.storage, scope, filters, options);
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
    const found = await findTraces(this.storage, scope, filters, options);
    if (!found) return [];
    const rows = await this.storage.readLong(
      TIMED.query`select ${rawSql(found.startedAt)} as began, t.status as status from ${found.from} where ${found.where}
        order by ${rawSql(found.startedAt)} desc limit ${max + 1}`,
      options,
    );
    return rows.map(({ began, status }) => ({ at: began, status: statusName(status) }));
  }
}
