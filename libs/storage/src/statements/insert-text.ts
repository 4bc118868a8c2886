import type { Kind } from './row-shape.js';
import type { Dialect } from './sql.js';
import type { Table } from './table.js';

const TYPES: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  bytes: 'bytea',
};

/**
 * The text of an INSERT: of one row on SQLite; of any number on Postgres, an array a column.
 * @param changed properties that rows which exist get instead of failing the statement.
 */
export function insertText<Row>(
  table: Table<Row>,
  properties: readonly (keyof Row & string)[],
  changed: readonly (keyof Row & string)[] | undefined,
  dialect: Dialect,
): string {
  const columns = properties.map((property) => table.column(property));
  // In the list of a select, arrays are gone through element by element; behind `from` all rows would be copied first.
  const rows =
    dialect === 'sqlite'
      ? `values (${columns.map(() => '?').join(',')})`
      : `select ${properties.map((property, at) => `unnest($${at + 1}::${TYPES[table.kindOf(property)]}[])`).join(',')}`;
  const text = `insert into ${table.name} (${columns.join(',')}) ${rows}`;
  if (!changed) return text;
  const key = table.key.map((property) => table.column(property));
  const sets = changed.map((property) => `${table.column(property)}=excluded.${table.column(property)}`);
  return `${text} on conflict (${key.join(',')}) do update set ${sets.join(',')}`;
}
