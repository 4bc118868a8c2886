import type { Logger } from '@spandrel/kernel';
import type { Storage } from '../storage.js';
import { integer, shapeOf, type Query, type RowOfShape } from '../statements/row-shape.js';
import { onPostgres, rawSql, sql, type Sql } from '../statements/sql.js';
import type { WriteTx } from '../transactions/write-tx.js';

/** Days that get a partition: longer ago than any plan keeps, rows are soon deleted again; far ahead, clocks are wrong. */
const DAYS_BACK = 100;
const DAYS_AHEAD = 2;

/** How long others may have to wait behind the making or dropping of a partition. */
const LOCK_MS = 200;
/** How long rows of a day go to the default partition after a failure. */
const AGAIN_MS = 10_000;

const getsPartition = (day: number, today: number): boolean => day >= today - DAYS_BACK && day <= today + DAYS_AHEAD;

/** Partitions by day of some tables (ADR 0013), made when the first row of a day is about to come. None on SQLite. */
export class DayPartitions {
  private readonly made = new Set<number>();
  private asked = false;
  private readonly making = new Map<number, Promise<void>>();
  private readonly failedAt = new Map<number, number>();

  constructor(
    private readonly storage: Pick<Storage, 'dialect' | 'read' | 'write'>,
    private readonly logger: Logger,
    private readonly tables: DayTables,
  ) {}

  /**
   * Makes missing partitions. Never fails: without one, rows go to the default partition.
   * @returns `undefined` when there is nothing to wait for.
   */
  prepare(starts: Iterable<number>): Promise<void> | undefined {
    if (this.storage.dialect === 'sqlite') return undefined;
    const [now, today] = [performance.now(), dayOf(Date.now())];
    const missing = new Set<number>();
    for (const start of starts) {
      const day = dayOf(start);
      if (this.made.has(day) || !getsPartition(day, today)) continue;
      if (now - (this.failedAt.get(day) ?? -Infinity) > AGAIN_MS) missing.add(day);
    }
    return missing.size === 0 ? undefined : this.make([...missing]);
  }

  /** The days that have partitions, oldest first, asked of the database. None on SQLite. */
  async days(): Promise<number[]> {
    if (this.storage.dialect === 'sqlite') return [];
    const days = (await this.storage.read(this.tables.days)).map(({ day }) => day);
    this.asked = true;
    this.made.clear();
    for (const day of days) this.made.add(day);
    return days;
  }

  /** The days found by the last call of {@link days}: another process may have made or dropped some since. */
  async known(): Promise<ReadonlySet<number>> {
    if (!this.asked) await this.days();
    return this.made;
  }

  /** Drops the partitions of an empty day. @returns whether they could be dropped just now. */
  async drop(day: number): Promise<boolean> {
    try {
      await this.storage.write((tx) => this.tables.drop(tx, day, LOCK_MS));
      this.made.delete(day);
      return true;
    } catch (error) {
      this.logger.debug({ err: error, day }, 'partitions could not be dropped');
      return false;
    }
  }

  private async make(days: readonly number[]): Promise<void> {
    for (const day of days) {
      let making = this.making.get(day);
      if (!making) {
        making = this.makeOne(day).finally(() => this.making.delete(day));
        this.making.set(day, making);
      }
      await making;
    }
  }

  private async makeOne(day: number): Promise<void> {
    try {
      if ((await this.known()).has(day)) return;
      await this.storage.write((tx) => this.tables.make(tx, day, LOCK_MS));
      this.made.add(day);
    } catch (error) {
      this.failedAt.set(day, performance.now());
      this.logger.debug({ err: error, day }, 'partitions could not be made; rows go to the default partition');
    }
  }
}

/** Length of a day; days are those of UTC, by their number since the epoch. */
export const DAY_MS = 86_400_000;

/** The day that a moment is in. @param epochMs also before the epoch. */
export const dayOf = (epochMs: number): number => Math.floor(epochMs / DAY_MS);

export const dayStart = (day: number): number => day * DAY_MS;

/** Exact starts in a condition; of more of them the ends are named: before version 17 each is looked up with each id. */
const STARTS_MAX = 100;

/** The rows of a partitioned table that start at given moments: Postgres leaves all other partitions alone. Nothing on SQLite. */
export const atStarts = (column: string, starts: readonly number[]): Sql => ({
  writeTo(target) {
    if (target.dialect === 'sqlite') return;
    const distinct = [...new Set(starts)];
    // An empty list would make Postgres plan for all partitions: it does not see that none matters.
    if (distinct.length === 0) sql` and 1 = 0`.writeTo(target);
    else if (distinct.length > STARTS_MAX) {
      betweenStarts(column, Math.min(...distinct), Math.max(...distinct) + 1).writeTo(target);
    } else sql` and ${rawSql(column)} = any(${`{${distinct.join(',')}}`}::bigint[])`.writeTo(target);
  },
});

/** A condition like {@link atStarts}, from a moment until before another one; `undefined` is no bound. */
export const betweenStarts = (column: string, from: number | undefined, until: number | undefined): Sql =>
  onPostgres(startedIn(column, { since: from, until }));

/** Rows from a moment until before another one, behind an `and`; `undefined` is no bound. */
export function startedIn(
  column: string,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Sql {
  const from = since === undefined ? sql`` : sql` and ${rawSql(column)} >= ${since}`;
  return until === undefined ? from : sql`${from} and ${rawSql(column)} < ${until}`;
}

/** Any constant: who makes or drops partitions waits for others that do. */
const PARTITION_LOCK = 7_261_500_113;

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

/**
 * Puts another partition in the place of one, filled by the insert of the setting `spandrel.rows`; readers go on until the new one is there. Who has
 * read of the table in a transaction is waited for, so that nobody writes by what the old one had.
 */
const REPLACE = `
  execute format('lock table %I in share row exclusive mode', part);
  execute format('create table %I (like %I including defaults, check (started_at >= %s and started_at < %s))',
    part || '_new', part, first_ms, past_ms);
  execute format(current_setting('spandrel.rows'), part || '_new', part);
  execute (select format('alter table %I add primary key (%s)', part || '_new', string_agg(quote_ident(a.attname), ', ' order by k.at))
    from pg_index i cross join unnest(i.indkey) with ordinality as k(number, at)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where i.indrelid = to_regclass(quote_ident(parent)) and i.indisprimary);
  perform set_config('lock_timeout', current_setting('spandrel.swap'), true);
  execute format('lock table %I in access exclusive mode', parent);
  execute format('alter table %I detach partition %I', parent, part);
  execute format('drop table %I', part);
  execute format('alter table %I rename to %I', part || '_new', part);
  execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part, first_ms, past_ms);`;

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

  constructor(private readonly tables: readonly [string, ...string[]]) {
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
  make(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    return this.toDay(tx, day, lockMs, MAKE);
  }

  /** Keeps everybody from writing to the partitions of a day until the transaction ends; readers go on. */
  hold(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    return this.toDay(tx, day, lockMs, HOLD);
  }

  /** Takes all rows of a day away at once; to be done late in a transaction, since readers of the day wait for its end. */
  empty(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    return this.toDay(tx, day, lockMs, EMPTY);
  }

  /**
   * Puts other rows in the place of those of a day. @param rows the insert, with `%I` for the new partition and for the old.
   * @param swapMs how long readers and writers may have to wait behind it. @throws when others were at it for too long.
   */
  async replace(tx: WriteTx, day: number, rows: string, lockMs: number, swapMs: number): Promise<void> {
    await tx.run(sql`select set_config('spandrel.rows', ${rows}, true)`);
    await tx.run(sql`select set_config('spandrel.swap', ${`${swapMs}ms`}, true)`);
    await this.toDay(tx, day, lockMs, REPLACE);
  }

  /** Drops the partitions of a day that has no rows. @throws when it has some, or others were at it for too long. */
  drop(tx: WriteTx, day: number, lockMs: number): Promise<void> {
    return this.toDay(tx, day, lockMs, DROP);
  }

  private async toDay(tx: WriteTx, day: number, lockMs: number, body: string): Promise<void> {
    await tx.run(sql`select pg_advisory_xact_lock(${PARTITION_LOCK})`);
    await tx.run(sql`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`);
    await tx.run(sql`select set_config('spandrel.day', ${String(day)}, true)`);
    await tx.run(forTables(this.tables, body));
  }
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
