import type { Dialect } from './sql.js';
import type { Table } from './table.js';

/**
 * Rows one statement writes on Postgres: the numbers of parameters stay few, so that statements can be prepared once, and
 * the powers of two that a number is made of are few too, which saves round trips.
 */
export const CHUNK_SIZES = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1] as const;

/** Texts made, by what they are made of: one of 512 rows has some thousand parameters, and takes long to write. */
const TEXTS_MAX = 500;
const texts = new Map<string, string>();

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
  const made = [dialect, table.name, rowCount, properties.join(), changed?.join()].join(' ');
  const known = texts.get(made);
  if (known !== undefined) return known;
  const text = writeInsert(table, properties, rowCount, changed, dialect);
  if (texts.size < TEXTS_MAX) texts.set(made, text);
  return text;
}

function writeInsert<Row>(
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
