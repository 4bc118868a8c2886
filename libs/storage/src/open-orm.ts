import { dirname } from 'node:path';
import type { MetadataStorage, Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { MikroORM } from '@mikro-orm/sql';
import { SqliteDriver } from '@mikro-orm/sqlite';
import type Database from 'better-sqlite3';
import { PostgresDialect, SqliteDialect } from 'kysely';
import type pg from 'pg';
import type { Registry } from '@prometheus-io/client';
import type { Logger } from '@spandrel/kernel';
import { migrations } from './migrations/index.js';
import { assertUsable, openPool } from './postgres/postgres-pool.js';
import type { Dialect } from './sql.js';
import { lockDirectory } from './sqlite/directory-lock.js';
import { openReader, openWriter } from './sqlite/open-sqlite.js';

/** Which database. SQLite takes the directory of its file for this process alone. */
export type StorageConfig =
  | { dialect: 'sqlite'; file: string }
  | { dialect: 'postgres'; url: string; poolMax?: number; statementTimeoutMs?: number };

export interface StorageOptions {
  /** Entities of the loaded features, as `defineEntity` made them. */
  entities: readonly unknown[];
  logger: Logger;
  /** Where the database's metrics are registered; nowhere when left out. */
  metrics?: Registry;
}

interface OpenedSqlite {
  dialect: 'sqlite';
  orm: MikroORM;
  file: string;
  writer: Database.Database;
  reader: Database.Database;
  /** Closes the connections and lets go of the directory. */
  close: () => Promise<void>;
}

interface OpenedPostgres {
  dialect: 'postgres';
  orm: MikroORM;
  pool: pg.Pool;
  /** Closes the pool. */
  close: () => Promise<void>;
}

const POOL_MAX_DEFAULT = 10;

/**
 * Opens connections and sets up the ORM on them, so that both share one copy of the driver: two copies of SQLite in one
 * process would undo each other's file locks.
 * @throws StartError
 */
export function openOrm(config: StorageConfig, options: StorageOptions): Promise<OpenedSqlite | OpenedPostgres> {
  return config.dialect === 'sqlite'
    ? openSqlite(config.file, options)
    : openPostgres(config.url, config.poolMax ?? POOL_MAX_DEFAULT, options);
}

async function openSqlite(file: string, options: StorageOptions): Promise<OpenedSqlite> {
  const closers = [lockDirectory(dirname(file))];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) closer();
  };
  try {
    const writer = openWriter(file);
    closers.push(() => writer.close());
    const reader = openReader(file);
    closers.push(() => reader.close());
    const orm = await initOrm('sqlite', options, {
      driver: SqliteDriver,
      dbName: file,
      driverOptions: () => new SqliteDialect({ database: writer }),
      replicas: [{ driverOptions: () => new SqliteDialect({ database: reader }) }],
    });
    return { dialect: 'sqlite', orm, file, writer, reader, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPostgres(url: string, poolMax: number, options: StorageOptions): Promise<OpenedPostgres> {
  const pool = openPool(url, poolMax, options.logger);
  try {
    await assertUsable(pool);
    const orm = await initOrm('postgres', options, {
      driver: PostgreSqlDriver,
      dbName: decodeURIComponent(new URL(url).pathname.slice(1)),
      driverOptions: () => new PostgresDialect({ pool }),
    });
    return { dialect: 'postgres', orm, pool, close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** The ORM on a dialect object of ours: types of its options know only its own. */
function initOrm(dialect: Dialect, options: StorageOptions, connection: object): Promise<MikroORM> {
  return MikroORM.init({
    ...connection,
    entities: options.entities,
    discovery: { warnWhenNoEntities: false, ...(dialect === 'postgres' && { afterDiscovered: compareBytewise }) },
    extensions: [Migrator],
    ensureDatabase: false,
    migrations: { migrationsList: migrations[dialect], snapshot: false, transactional: true, allOrNothing: true },
    logger: (message: string) => options.logger.debug(message),
  } as unknown as Options) as Promise<MikroORM>;
}

/** Text sorts and compares by bytes on Postgres too, as it does on SQLite. */
function compareBytewise(metadata: MetadataStorage): void {
  for (const meta of metadata.getAll().values()) {
    for (const property of Object.values(meta.properties)) {
      if (property.columnTypes?.[0] === 'text') property.collation ??= 'C';
    }
  }
}
