import { joinSql, rawSql, sql, type Sql } from '../statements/sql.js';
import type { WriteTx } from '../transactions/write-tx.js';
import { DAY_MS, dayOf, dayStart } from './days.js';

/** Tables whose rows lie in one partition a day; the others lie in `<table>_default`. They are made and dropped together. */
const DAY_TABLES = ['span', 'span_payload'] as const;

/** Any constant: who makes or drops partitions waits for others that do. */
const PARTITION_LOCK = 7_261_500_113;

const TABLES = DAY_TABLES.map((table) => `'${table}'`).join(', ');

/**
 * What is done to the partitions of the day that {@link choose} names. As one text for all days, since statements are
 * prepared by their text.
 */
const forTables = (body: string): Sql =>
  rawSql(`do $do$
    declare
      day bigint := current_setting('spandrel.day')::bigint;
      first_ms bigint := day * ${DAY_MS};
      past_ms bigint := first_ms + ${DAY_MS};
      parent text;
      part text;
      used boolean;
    begin
      foreach parent in array array[${TABLES}] loop
        part := parent || '_p' || to_char(timestamp 'epoch' + day * interval '1 day', 'YYYYMMDD');
        ${body}
      end loop;
    end $do$`);

const CHOOSE = (day: number): Sql => sql`select set_config('spandrel.day', ${String(day)}, true)`;
const LOCK = sql`select pg_advisory_xact_lock(${PARTITION_LOCK})`;
const timeout = (ms: number): Sql => sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`;

/** Rows that came before their partition lie in the default one, and move. */
const MAKE = forTables(`
  continue when to_regclass(quote_ident(part)) is not null;
  execute format('create table %I (like %I including defaults)', part, parent);
  execute format('lock table %I in access exclusive mode', parent || '_default');
  execute format('with moved as (delete from %I where started_at >= %s and started_at < %s returning *) insert into %I select * from moved',
    parent || '_default', first_ms, past_ms, part);
  execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part, first_ms, past_ms);`);

const HOLD = forTables(`execute format('lock table %I in share row exclusive mode', part);`);
const EMPTY = forTables(`execute format('truncate table only %I', part);`);

/** A row that came meanwhile keeps its partition, and what it was to take with it. */
const DROP = forTables(`
  continue when to_regclass(quote_ident(part)) is null;
  execute format('lock table %I in access exclusive mode', parent);
  execute format('select exists (select 1 from %I)', part) into used;
  if used then
    raise exception 'the partition has rows' using errcode = '55006';
  end if;
  execute format('drop table %I', part);`);

/**
 * Makes the partitions of a day, if they are missing.
 * @param lockMs how long it may wait for others, who wait behind it meanwhile.
 * @throws when it had to wait longer.
 */
export async function makeDay(tx: WriteTx, day: number, lockMs: number): Promise<void> {
  await tx.run(LOCK);
  await tx.run(timeout(lockMs));
  await tx.run(CHOOSE(day));
  await tx.run(MAKE);
}

/** Keeps everybody from writing to the partitions of a day until the transaction ends; readers go on. */
export async function holdDay(tx: WriteTx, day: number, lockMs: number): Promise<void> {
  await tx.run(LOCK);
  await tx.run(timeout(lockMs));
  await tx.run(CHOOSE(day));
  await tx.run(HOLD);
}

/** Takes all rows of a day away at once; to be done late in a transaction, since readers of the day wait for its end. */
export async function emptyDay(tx: WriteTx, day: number, lockMs: number): Promise<void> {
  await tx.run(timeout(lockMs));
  await tx.run(CHOOSE(day));
  await tx.run(EMPTY);
}

/** Drops the partitions of a day that has no rows. @throws when it has some, or others were at it for too long. */
export async function dropDay(tx: WriteTx, day: number, lockMs: number): Promise<void> {
  await tx.run(LOCK);
  await tx.run(timeout(lockMs));
  await tx.run(CHOOSE(day));
  await tx.run(DROP);
}

/** The days that have partitions, oldest first; on Postgres. */
export const MADE_DAYS: Sql = rawSql(`
  select (to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01')::bigint as day
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = to_regclass('${DAY_TABLES[0]}') and c.relname ~ '_p[0-9]{8}$' order by 1`);

/** As {@link MADE_DAYS}, with the bytes of the payloads of each. */
export const DAY_SIZES: Sql = rawSql(`
  select (to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01')::bigint as day, pg_table_size(c.oid) as bytes
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = to_regclass('${DAY_TABLES[1]}') and c.relname ~ '_p[0-9]{8}$' order by 1`);

/** Arms of a condition; more of them become one range: planning with many takes longer than looking into all partitions. */
const RANGES_MAX = 4;

/**
 * The rows of a partitioned table that lie in some days: what lets Postgres leave all other partitions alone. Nothing on
 * SQLite.
 * @param column with its alias.
 */
export const ofDays = (column: string, days: Iterable<number>): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') sql` and ${inRanges(rawSql(column), rangesOf(days))}`.writeTo(target);
  },
});

/** Exact starts in a condition; of more of them the days are named: before version 17 each is looked up with each id. */
const STARTS_MAX = 100;

/** As {@link ofDays}, the rows of some starts. */
export const atStarts = (column: string, starts: readonly number[]): Sql => ({
  writeTo(target) {
    if (target.dialect === 'sqlite') return;
    const distinct = [...new Set(starts)];
    // Of an empty list Postgres would not see that no partition matters, and plan for all of them.
    if (distinct.length === 0 || distinct.length > STARTS_MAX) ofDays(column, distinct.map(dayOf)).writeTo(target);
    else sql` and ${rawSql(column)} = any(${`{${distinct.join(',')}}`}::bigint[])`.writeTo(target);
  },
});

/** As {@link ofDays}, from a moment until before another one; `undefined` is no bound. */
export const betweenStarts = (column: string, from: number | undefined, until: number | undefined): Sql => ({
  writeTo(target) {
    if (target.dialect !== 'postgres') return;
    if (from !== undefined) sql` and ${rawSql(column)} >= ${from}`.writeTo(target);
    if (until !== undefined) sql` and ${rawSql(column)} < ${until}`.writeTo(target);
  },
});

/** A piece that stands on Postgres only. */
export const onPostgres = (piece: Sql): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') piece.writeTo(target);
  },
});

type Range = readonly [first: number, last: number];

function rangesOf(days: Iterable<number>): Range[] {
  const ranges: [number, number][] = [];
  for (const day of [...new Set(days)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === day) last[1] = day;
    else ranges.push([day, day]);
  }
  return ranges.length > RANGES_MAX ? [[ranges[0]![0], ranges.at(-1)![1]]] : ranges;
}

/** The number of ranges is rounded up, so that the statements stay few. */
function inRanges(column: Sql, ranges: readonly Range[]): Sql {
  if (ranges.length === 0) return rawSql('1 = 0');
  const padded = [...ranges];
  while (padded.length !== 2 ** Math.ceil(Math.log2(padded.length))) padded.push(padded.at(-1)!);
  const arms = padded.map(
    ([first, last]) => sql`(${column} >= ${dayStart(first)} and ${column} < ${dayStart(last + 1)})`,
  );
  return sql`(${joinSql(arms, ' or ')})`;
}
