/** Databases as SQL, for fixtures that can be read, and what their tables are, for comparing them. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { StorageConfig } from '@spandrel/storage';
import { withClient } from '../support/postgres.ts';

type Row = Record<string, unknown>;
type Ask = (sql: string) => Promise<Row[]>;

/** Works with a connection of its own to a database that nobody has open. */
async function connected<T>(config: StorageConfig, work: (ask: Ask) => Promise<T>): Promise<T> {
  if (config.dialect === 'postgres') {
    return withClient(config.url, (client) => work(async (sql) => (await client.query<Row>(sql)).rows));
  }
  const database = new Database(config.file);
  try {
    return await work(async (sql) => database.prepare(sql).all() as Row[]);
  } finally {
    database.close();
  }
}

const namesOf = (rows: readonly Row[]): string[] => rows.map(({ name }) => String(name));

/** What makes a database and its rows again: a statement a line, as {@link restoreDatabase} takes it. @param made what made the tables. */
export async function databaseText(config: StorageConfig, made: readonly string[]): Promise<string> {
  return connected(config, async (ask) => {
    const { dialect } = config;
    const lines = made.map((statement) => statement.replaceAll(/\s*\n\s*/g, ' '));
    if (dialect === 'postgres') lines.push(...(await daysOf(ask)));
    const tables = namesOf(await ask(TABLES[dialect]));
    for (const table of tables.filter((name) => !name.endsWith('_default'))) {
      const columns = namesOf(await ask(COLUMNS[dialect](table)));
      const literal = dialect === 'postgres' ? 'quote_nullable' : 'quote';
      const values = columns.map((column) => `${literal}("${column}")`).join(` || ', ' || `);
      for (const { line } of await ask(`select ${values} as line from "${table}" order by 1`)) {
        lines.push(`insert into "${table}" ("${columns.join('", "')}") values (${String(line)})`);
      }
    }
    if (dialect === 'postgres') lines.push(NUMBERED);
    return lines.map((line) => `${line};\n`).join('');
  });
}

/** Makes a database of what {@link databaseText} wrote. @param config where there is none yet, or an empty one. */
export async function restoreDatabase(config: StorageConfig, text: string): Promise<void> {
  if (config.dialect === 'postgres') {
    await withClient(config.url, (client) => client.query(text));
    return;
  }
  mkdirSync(dirname(config.file), { recursive: true });
  const database = new Database(config.file);
  database.exec(text);
  database.close();
}

/** Tables with their columns, indexes and keys, but for the partitions of days and what libraries make. */
export async function tablesOf(config: StorageConfig): Promise<Row> {
  return connected(config, async (ask) => {
    const tables: Row = {};
    for (const table of namesOf(await ask(TABLES[config.dialect]))) {
      if (table === 'mikro_orm_migrations') continue;
      const parts = SHAPE[config.dialect](table).map((sql) => ask(sql));
      tables[table] = await Promise.all(parts);
    }
    return tables;
  });
}

/** The next migration gets a number behind those of the fixture. */
const NUMBERED = `select setval('mikro_orm_migrations_id_seq', (select max(id) from mikro_orm_migrations))`;

const TABLES = {
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name`,
  postgres: `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and relname !~ '_p\\d{8}$' order by relname collate "C"`,
};

const COLUMNS = {
  sqlite: (table: string) => `select name from pragma_table_info('${table}') order by cid`,
  postgres: (table: string) => `select attname as name from pg_attribute
    where attrelid = 'public.${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
};

const SHAPE = {
  sqlite: (table: string) => [
    `select name, type, "notnull", dflt_value, pk from pragma_table_info('${table}') order by cid`,
    `select wr, strict from pragma_table_list where name = '${table}'`,
    `select l.name, l."unique", l.origin, l.partial, x.seqno, x.name as "column", x.desc, x.coll from pragma_index_list('${table}') l,
      pragma_index_xinfo(l.name) x order by l.name, x.seqno`,
    `select name, sql from sqlite_schema where type = 'index' and tbl_name = '${table}' and sql is not null order by name`,
  ],
  postgres: (table: string) => [
    `select attname, format_type(atttypid, atttypmod) as type, attnotnull, attstorage, attcollation::regcollation::text as coll,
      pg_get_expr(adbin, adrelid) as "default" from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = 'public.${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
    `select pg_get_indexdef(indexrelid) as index from pg_index where indrelid = 'public.${table}'::regclass order by indexrelid`,
    `select conname, pg_get_constraintdef(oid) as of from pg_constraint
      where conrelid = 'public.${table}'::regclass and contype <> 'n' order by conname`,
    `select relkind, pg_get_partkeydef(oid) as key, pg_get_expr(relpartbound, oid) as bound from pg_class
      where oid = 'public.${table}'::regclass`,
  ],
};

/** Partitions of days: servers make these, not migrations. */
async function daysOf(ask: Ask): Promise<string[]> {
  const days = await ask(`select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits join pg_class c on c.oid = inhrelid join pg_class p on p.oid = inhparent
    where c.relkind = 'r' and c.relname ~ '_p\\d{8}$' order by 1`);
  return days.map(({ name, parent, bound }) => `create table ${name} partition of ${parent} ${bound}`);
}
