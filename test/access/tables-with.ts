import type { Storage } from '@spandrel/storage';
import { rawSql } from '@spandrel/storage';
import { anyRows } from '../support/any-rows.ts';

/** Tables that keep something of a project or an organization that is deleted, by intent. */
export const KEPT: Readonly<Record<string, string>> = {
  audit_log: 'who deleted what is evidence',
  audit_chain: 'the head of the chain of an organization',
  person: 'a reference to the project that somebody had open last, which ends with the project',
  removal: 'ids and counts, for a day, so that what comes too late is found',
};

interface Column {
  schema: string;
  table: string;
  column: string;
}

type Reader = Pick<Storage, 'read'>;

/** Every column of every table of all schemas but those of Postgres itself. */
export const allColumns = async (storage: Reader): Promise<Column[]> =>
  storage.read(
    anyRows<Column>()`select c.table_schema as schema, c.table_name as table, c.column_name as column
      from information_schema.columns c join information_schema.tables t
        on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
      where c.table_schema not in ('pg_catalog', 'information_schema')`,
  );

/** Tables of all schemas in which some row has one of the texts anywhere, without those that keep it by intent. */
export async function tablesWith(storage: Reader, texts: readonly string[]): Promise<string[]> {
  const tables = new Set((await allColumns(storage)).map(({ schema, table }) => `"${schema}"."${table}"`));
  const found: string[] = [];
  for (const table of tables) {
    const name = table.split('"').at(-2)!;
    if (Object.hasOwn(KEPT, name) && name !== 'person') continue;
    const pattern = texts.map((text) => text.replace(/[^0-9A-Za-z-]/g, '.')).join('|');
    const rows = await storage.read(
      anyRows()`select 1 as one from ${rawSql(table)} t where t::text ~ ${pattern} limit 1`,
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}
