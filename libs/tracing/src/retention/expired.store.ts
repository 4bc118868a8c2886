import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  DAY_MS,
  dayStart,
  forUpdate,
  integer,
  nullable,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  text,
  type RowOfShape,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { partitionsOfSpans, SPAN_KEYS } from '../span-partitions.sql.js';
import type { SpanRow } from '../span.entity.js';
import { spanTable, TRACE_COLUMNS } from '../tables.js';
import type { TraceRow } from '../trace.entity.js';

const NOW = shapeOf({ now: integer() });
const TRACE_ID = shapeOf({ traceId: text() });
const ID = shapeOf({ id: text() });
const SPAN = spanTable.select('s');
const TRACE_OF_DAY = shapeOf({ projectId: text(), traceId: text() });
const NEXT = shapeOf({ next: nullable(text()) });

/** The moment before which a project's data is too old, in milliseconds since the epoch. */
export type Cutoffs = ReadonlyMap<string, number>;

/** Finds what has been kept long enough, and takes whole days of it away. */
@Injectable()
export class ExpiredStore {
  constructor(private readonly storage: Storage) {}

  /** What time the database has, in milliseconds since the epoch; only Postgres is asked, where retention is. */
  async databaseNow(): Promise<number> {
    const [row] = await this.storage.read(
      NOW.query`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`,
    );
    return row!.now;
  }

  /** The traces of the oldest spans that started before a moment, of up to `count` spans. */
  async tracesOfOldest(scope: Scope, before: number, count: number): Promise<string[]> {
    const rows = await this.storage.readLong(
      TRACE_ID.query`select distinct o.trace_id as "traceId" from (
          select s.trace_id as trace_id from span s where s.project_id = ${scope.projectId} and s.started_at < ${before}
          order by s.started_at, s.id limit ${count}) o`,
    );
    return rows.map(({ traceId }) => traceId);
  }

  /** Up to `limit` spans of some traces that started before a moment, without payload, locked against other writers. */
  async spansOf(
    tx: WriteTx,
    scope: Scope,
    traceIds: readonly string[],
    before: number,
    limit: number,
  ): Promise<SpanRow[]> {
    const ids = (
      await tx.all(
        ID.query`select k.id as id from ${SPAN_KEYS} where k.project_id = ${scope.projectId} and ${anyOf('k.trace_id', traceIds)}
          and k.started_at < ${before} order by k.id limit ${limit}${forUpdate('k')}`,
      )
    ).map(({ id }) => id);
    if (ids.length === 0) return [];
    const { within } = await partitionsOfSpans(tx, scope, ids);
    return tx.all(
      SPAN.query`select ${SPAN} from span s
        where s.project_id = ${scope.projectId} and ${anyOf('s.id', ids)}${within('s')} order by s.id`,
    );
  }

  /** Up to `count` traces without spans that are older than a moment. */
  async emptyTraces(scope: Scope, before: number, count: number): Promise<string[]> {
    const rows = await this.storage.readLong(
      ID.query`select t.id as id from trace t
        where t.project_id = ${scope.projectId} and t.started_at < ${before} and t.span_count = 0
        order by t.started_at, t.id limit ${count}`,
    );
    return rows.map(({ id }) => id);
  }

  async projectsOfDay(day: number): Promise<string[]> {
    const found: string[] = [];
    for (let last = ''; ;) {
      const [row] = await this.storage.readLong(
        NEXT.query`select min(s.project_id) as next from span s where s.project_id > ${last} and ${ofDay(day)}`,
      );
      if (typeof row?.next !== 'string') return found;
      found.push((last = row.next));
    }
  }

  /** Up to `count` traces with spans on a day that do not go with it: they have spans of other days, or are too young. */
  async tracesBeyond(day: number, cutoffs: Cutoffs, count: number): Promise<RowOfShape<typeof TRACE_OF_DAY>[]> {
    return this.storage.readLong(
      TRACE_OF_DAY.query`${tracesOfDay(day)} select o.project_id as "projectId", o.trace_id as "traceId"
        from of_day o join ${cutoffRows(cutoffs)} on c.project_id = o.project_id
        left join trace t on t.project_id = o.project_id and t.id = o.trace_id
        where t.id is null or t.span_count <> o.number or t.started_at >= c.cutoff limit ${count}`,
    );
  }

  /** Deletes the traces that are too old and have all of their spans on a day. @returns them; the spans are still there. */
  deleteTracesOfDay(tx: WriteTx, day: number, cutoffs: Cutoffs): Promise<TraceRow[]> {
    return tx.all(
      TRACE_COLUMNS.query`${tracesOfDay(day)} delete from trace t using of_day o, ${cutoffRows(cutoffs)}
        where t.project_id = o.project_id and t.id = o.trace_id and c.project_id = o.project_id
        and t.span_count = o.number and t.started_at < c.cutoff returning ${TRACE_COLUMNS}`,
    );
  }

  /** Deletes the keys of the spans of a day. @returns how many there were. */
  deleteKeysOfDay(tx: WriteTx, day: number): Promise<number> {
    return tx.run(
      sql`delete from span_key k using span s where s.project_id = k.project_id and s.id = k.id and ${ofDay(day)}`,
    );
  }
}

const ofDay = (day: number): Sql => sql`s.started_at >= ${dayStart(day)} and s.started_at < ${dayStart(day) + DAY_MS}`;

/** How many spans each trace has on a day: `of_day`. */
const tracesOfDay = (day: number): Sql =>
  sql`with of_day as (select s.project_id, s.trace_id, count(*) as number from span s where ${ofDay(day)} group by 1, 2)`;

const cutoffRows = (cutoffs: Cutoffs): Sql =>
  rowsFrom('c', {
    project_id: { type: 'text', values: [...cutoffs.keys()] },
    cutoff: { type: 'number', values: [...cutoffs.values()] },
  });
