import { setImmediate as nextTurn } from 'node:timers/promises';
import { rawSql, sql, type Sql } from './sql.js';
import type { WriteTx } from '../transactions/write-tx.js';

/** Rows that one statement deletes on SQLite, where a statement holds up the event loop. */
const ROWS_PER_STATEMENT = 2_000;

/**
 * Deletes rows of a table, however many, in the open transaction; the event loop goes on meanwhile.
 * @returns how many there were.
 */
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
