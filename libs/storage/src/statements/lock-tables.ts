import { rawSql, sql } from './sql.js';
import type { WriteTx } from '../transactions/write-tx.js';

/**
 * Holds up all other writers of some tables until the open transaction ends, having waited for those that are at it:
 * what a later statement reads of the tables stays so. Readers go on. SQLite has one writer anyway.
 * @param tables locked in this order.
 */
export async function lockTables(tx: WriteTx, ...tables: readonly string[]): Promise<void> {
  if (tx.dialect === 'sqlite') return;
  await tx.run(sql`lock table ${rawSql(tables.join(', '))} in share row exclusive mode`);
}
