import { shapeOf, text } from '../statements/row-shape.js';
import { rawSql, sql, type Sql } from '../statements/sql.js';
import type { Storage } from '../storage.js';
import type { WriteTx } from '../transactions/write-tx.js';

const LEAF = shapeOf({ name: text() });

/**
 * The tables in which the rows of a table lie: its partitions, or itself. Quoted names. Postgres only, where projects are
 * removed.
 */
export async function leafTables(storage: Pick<Storage, 'readLong'>, table: string): Promise<string[]> {
  const leaves = await storage.readLong(
    LEAF.query`select quote_ident(c.relname) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${table}) order by c.relname desc`,
  );
  return leaves.length > 0 ? leaves.map(({ name }) => name) : [table];
}

/**
 * Deletes some rows of one table, which has no partitions, by where they lie: no order and no key is needed.
 * @param leaf as {@link leafTables} found it.
 * @returns how many went; fewer than `limit` when none is left.
 */
export function deleteSome(
  tx: WriteTx,
  { leaf, by, owner, limit }: { leaf: string; by: string; owner: string; limit: number },
): Promise<number> {
  const [table, column] = [rawSql(leaf), rawSql(by)];
  const some: Sql = sql`select ctid from ${table} where ${column} = ${owner} limit ${limit}`;
  return tx.run(sql`delete from ${table} where ctid = any(array(${some}))`);
}
