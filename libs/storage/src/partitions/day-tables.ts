import { integer, shapeOf, type Query, type RowOfShape } from '../statements/row-shape.js';
import { rawSql, sql, type Sql } from '../statements/sql.js';
import type { WriteTx } from '../transactions/write-tx.js';
import { DAY_MS } from './day-conditions.js';

/** Any constant: who makes or drops partitions waits for others that do. */
const PARTITION_LOCK = 7_261_500_113;

const LOCK = sql`select pg_advisory_xact_lock(${PARTITION_LOCK})`;

/** Rows that came before their partition lie in the default one, and move. */
const MAKE = `
  continue when to_regclass(quote_ident(part)) is not null;
  execute format('create table %I (like %I including defaults)', part, parent);
  execute format('lock table %I in access exclusive mode', parent || '_default');
  execute format('with moved as (delete from %I where started_at >= %s and started_at < %s returning *) insert into %I select * from moved',
    parent || '_default', first_ms, past_ms, part);
  execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part, first_ms, past_ms);`;

const HOLD = `execute format('lock table %I in share row exclusive mode', part);`;
const EMPTY = `execute format('truncate table only %I', part);`;

/** A row that came meanwhile keeps its partition, and what it was to take with it. */
const DROP = `
  continue when to_regclass(quote_ident(part)) is null;
  execute format('lock table %I in access exclusive mode', parent);
  execute format('select exists (select 1 from %I)', part) into used;
  if used then
    raise exception 'the partition has rows' using errcode = '55006';
  end if;
  execute format('drop table %I', part);`;

/**
 * Tables that on Postgres are partitioned by the day of `started_at` (ADR 0013). The rows of a day lie in
 * `<table>_p<yyyymmdd>`, others in `<table>_default`; partitions of a day are made and dropped together.
 */
export class DayTables {
  readonly days: Query<RowOfShape<typeof DAY>>;
  private readonly makeAll: Sql;
  private readonly holdAll: Sql;
  private readonly emptyAll: Sql;
  private readonly dropAll: Sql;

  constructor(tables: readonly [string, ...string[]]) {
    this.makeAll = forTables(tables, MAKE);
    this.holdAll = forTables(tables, HOLD);
    this.emptyAll = forTables(tables, EMPTY);
    this.dropAll = forTables(tables, DROP);
    // Each partition is asked for its name: joining `pg_class` compares those of all tables.
    this.days = DAY.query`select (to_date(right(p.name, 8), 'YYYYMMDD') - date '1970-01-01')::bigint as day
      from (select i.inhrelid as oid, i.inhrelid::regclass::text as name from pg_inherits i
        where i.inhparent = to_regclass(${tables[0]})) p
      where p.name ~ '_p[0-9]{8}$' order by 1`;
  }

  /**
   * Makes missing partitions of a day. @param lockMs how long it may wait for others. @throws when it had to wait
   * longer.
   */
  async make(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    await tx.run(LOCK);
    await toDay(tx, day, lockMs, this.makeAll);
  }

  /** Keeps everybody from writing to the partitions of a day until the transaction ends; readers go on. */
  async hold(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    await tx.run(LOCK);
    await toDay(tx, day, lockMs, this.holdAll);
  }

  /** Takes all rows of a day away at once; to be done late in a transaction, since readers of the day wait for its end. */
  async empty(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    await toDay(tx, day, lockMs, this.emptyAll);
  }

  /** Drops the partitions of a day that has no rows. @throws when it has some, or others were at it for too long. */
  async drop(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    await tx.run(LOCK);
    await toDay(tx, day, lockMs, this.dropAll);
  }
}

async function toDay(tx: WriteTx, day: number, lockMs: number, statement: Sql): Promise<void> {
  await tx.run(sql`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`);
  await tx.run(sql`select set_config('spandrel.day', ${String(day)}, true)`);
  await tx.run(statement);
}

/** What is done to the partitions of a day; one text for all days, since statements are prepared by their text. */
const forTables = (tables: readonly string[], body: string): Sql =>
  rawSql(`do $do$
    declare
      day bigint := current_setting('spandrel.day')::bigint;
      first_ms bigint := day * ${DAY_MS};
      past_ms bigint := first_ms + ${DAY_MS};
      parent text;
      part text;
      used boolean;
    begin
      foreach parent in array array[${tables.map((table) => `'${table}'`).join(', ')}] loop
        part := parent || '_p' || to_char(timestamp 'epoch' + day * interval '1 day', 'YYYYMMDD');
        ${body}
      end loop;
    end $do$`);

const DAY = shapeOf({ day: integer() });
