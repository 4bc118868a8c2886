import type { Dialect } from './sql.js';
import type { Table } from './table.js';

/**
 * Rows one statement writes on Postgres: the numbers of parameters stay few, so that statements can be prepared once, and
 * the powers of two that a number is made of are few too, which saves round trips.
 */
export const CHUNK_SIZES = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1] as const;

/**
 * The text of an INSERT of `rowCount` rows.
 * @param changed properties that rows which exist get instead of failing the statement.
 */
export function insertText<Row>(
  table: Table<Row>,
  properties: readonly (keyof Row & string)[],
  rowCount: number,
  changed: readonly (keyof Row & string)[] | undefined,
  dialect: Dialect,
): string {
  const columns = properties.map((property) => table.column(property));
  let position = 0;
  const tuple = (): string => `(${columns.map(() => (dialect === 'sqlite' ? '?' : `$${++position}`)).join(',')})`;
  const values = Array.from({ length: rowCount }, tuple).join(',');
  const text = `insert into ${table.name} (${columns.join(',')}) values ${values}`;
  if (!changed) return text;
  const key = table.key.map((property) => table.column(property));
  const sets = changed.map((property) => `${table.column(property)}=excluded.${table.column(property)}`);
  return `${text} on conflict (${key.join(',')}) do update set ${sets.join(',')}`;
}
