import { joinSql, rawSql, sql, type Sql } from './sql.js';
import type { Table } from './table.js';

/**
 * The condition of an UPDATE or DELETE of rows that other transactions change too. On Postgres the rows are locked in the
 * order of their keys before any is changed: the statement alone would lock them in whatever order its plan meets them. Rows
 * that others commit meanwhile are left alone, which a SELECT FOR UPDATE before the statement does not see to: the statement
 * would find them, and lock them behind all others. SQLite has one writer.
 * @param table the one that is changed.
 * @param where which of its rows; columns are named as in the statement itself.
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
