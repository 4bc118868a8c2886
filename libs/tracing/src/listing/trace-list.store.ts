import { Injectable } from '@nestjs/common';
import type { ListTraces, TimedTrace, TraceFilters } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  behind,
  fillPage,
  integer,
  orderBy,
  positionShape,
  rawSql,
  shapeOf,
  startOf,
  Storage,
  upTo,
  type LongReadOptions,
  type Page,
  type Part,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { statusName } from '../status.js';
import { TRACE_COLUMNS } from '../tables.js';
import type { TraceRow } from '../trace.entity.js';
import { ALL_TRACES, findTraces } from './find-traces.sql.js';
import { TRACE_VALUES } from './trace-values.sql.js';

const NUMBER = shapeOf({ number: integer() });
const TIMED = shapeOf({ began: integer(), status: integer() });

/** Traces that a filter without an index is tried on in list order, before all of them are read in the order of the table. */
const HEAD = 1_000;
/**
 * All traces as they lie on SQLite: a third of the time that reading all of them by the index on their start takes, which
 * looks each up by its number.
 */
const TABLE_ORDER = rawSql('trace t not indexed');
const ALL = rawSql('1 = 1');

/** Whether a list has nothing that an index would find its traces by, and filters or sorts by what none has. */
const needsAllTraces = (query: ListTraces): boolean =>
  INDEXED.every((filter) => query[filter] === undefined) &&
  (query.sort_by !== 'started_at' || NOT_INDEXED.some((filter) => query[filter] !== undefined));
const INDEXED = ['ids', 'session_id', 'user_id', 'tag', 'provider', 'status', 'since', 'until'] as const;
const NOT_INDEXED = ['name_contains', 'model', 'duration_min', 'duration_max', 'cost_min', 'tokens_min'] as const;

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
    const select = (table: Sql, part: Part, position: Position | undefined, count: number, until: Sql) =>
      this.storage.readLong(
        TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from ${table}
          where ${found.where} and ${behind(sorting, part, position)} and ${until}
          order by ${orderBy(sorting, part)} limit ${count}`,
        options,
      );
    const scans = this.storage.dialect === 'sqlite' && needsAllTraces(query);
    return fillPage(
      sorting,
      from,
      query.limit,
      async (part, position, count) => {
        if (!scans) return { rows: await select(found.from, part, position, count, ALL) };
        if (sortBy === 'started_at') {
          const head = await this.endOfHead(scope, sorting, position, options);
          const rows = await select(found.from, part, position, count, head ? upTo(sorting, part, head) : ALL);
          if (!head || rows.length === count) return { rows };
        }
        return { rows: await select(TABLE_ORDER, part, position, count, ALL) };
      },
      (trace): Position => ({
        value: sortBy === 'started_at' ? trace.startedAt : TRACE_VALUES[sortBy].of(trace),
        id: trace.id,
      }),
    );
  }

  /** The last of the traces that are looked through in list order behind a position; `undefined` when there are fewer. */
  private async endOfHead(
    { projectId }: Scope,
    sorting: Sorting,
    position: Position | undefined,
    options: LongReadOptions,
  ): Promise<Position | undefined> {
    const [end] = await this.storage.readLong(
      positionShape(sorting).query`select t.started_at as value, t.id as id from trace t
        where t.project_id = ${projectId} and ${behind(sorting, 'valued', position)}
        order by ${orderBy(sorting, 'valued')} limit 1 offset ${HEAD}`,
      options,
    );
    return end;
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
