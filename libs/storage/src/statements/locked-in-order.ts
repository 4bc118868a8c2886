import { joinSql, onPostgres, onSqlite, rawSql, sql, type Sql } from './sql.js';
import type { Table } from './table.js';
import type { WriteTx } from '../transactions/write-tx.js';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The condition of an UPDATE or DELETE of rows that other transactions change too. On Postgres the rows are locked in
 * the order of their keys before any is changed; those that others commit meanwhile are left alone, which a SELECT FOR
 * UPDATE before the statement does not see to.
 * @param where which rows; columns are named as in the statement itself.
 */
export function lockedInOrder<Row>(table: Table<Row>, where: Sql): Sql {
  const columns = table.key.map((property) => rawSql(`${table.name}.${table.column(property)}`));
  const [key, name] = [joinSql(columns, ', '), rawSql(table.name)];
  const locked = sql`(${key}) in (select ${key} from ${name} where ${where} order by ${key} for update of ${name})`;
  return sql`${onSqlite(where)}${onPostgres(locked)}`;
}

/** Rows that one statement of {@link writeInOrder} writes. */
const ROWS_WRITTEN = 5_000;

/**
 * Writes rows, however many, in the order of their keys: two transactions that write the same ones do not wait for each
 * other in a circle. The event loop goes on meanwhile.
 * @param keyOf distinguishes rows; of several with one key the last one counts. @param write makes one statement of some.
 */
export async function writeInOrder<Row>(
  rows: Iterable<Row>,
  keyOf: (row: Row) => string,
  write: (some: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  const keyed = new Map(Iterator.from(rows).map((row) => [keyOf(row), row]));
  const sorted = [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  for (let at = 0; at < sorted.length; at += ROWS_WRITTEN) {
    if (at > 0) await nextTurn();
    await write(sorted.slice(at, at + ROWS_WRITTEN));
  }
}

/** Holds up all other writers of some tables, locked in this order, until the open transaction ends. Readers go on. */
export async function lockTables(tx: WriteTx, ...tables: readonly string[]): Promise<void> {
  if (tx.dialect === 'sqlite') return;
  await tx.run(sql`lock table ${rawSql(tables.join(', '))} in share row exclusive mode`);
}

/** Rows that one statement deletes on SQLite, where a statement holds up the event loop. */
const ROWS_PER_STATEMENT = 2_000;

/** Deletes rows of a table, however many; the event loop goes on meanwhile. @returns how many there were. */
export async function deleteRows(tx: WriteTx, table: string, where: Sql): Promise<number> {
  const name = rawSql(table);
  if (tx.dialect === 'postgres') {
    await tx.disableStatementTimeout();
    return tx.run(sql`delete from ${name} where ${where}`);
  }
  let deleted = 0;
  for (;;) {
    const count = await tx.run(
      sql`delete from ${name} where rowid in (select rowid from ${name} where ${where} limit ${ROWS_PER_STATEMENT})`,
    );
    deleted += count;
    if (count < ROWS_PER_STATEMENT) return deleted;
    await nextTurn();
  }
}
