import { joinSql, rawSql, sql, type Sql } from './sql.js';
import type { Table } from './table.js';
import type { WriteTx } from '../transactions/write-tx.js';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The condition of an UPDATE or DELETE of rows that other transactions change too. On Postgres the rows are locked in
 * the order of their keys before any is changed; those that others commit meanwhile are left alone, which a SELECT FOR
 * UPDATE before the statement does not see to.
 * @param where which rows; columns are named as in the statement itself.
 */
export const lockedInOrder = <Row>(table: Table<Row>, where: Sql): Sql => ({
  writeTo(target) {
    if (target.dialect === 'sqlite') {
      where.writeTo(target);
      return;
    }
    const key = joinSql(
      table.key.map((property) => rawSql(`${table.name}.${table.column(property)}`)),
      ', ',
    );
    const name = rawSql(table.name);
    sql`(${key}) in (select ${key} from ${name} where ${where} order by ${key} for update of ${name})`.writeTo(target);
  },
});

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
