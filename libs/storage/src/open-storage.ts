import { dirname, join } from 'node:path';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sql';
import { Registry } from '@prometheus-io/client';
import type { PoolClient } from 'pg';
import type { MetadataStorage, Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { PostgresDialect, SqliteDialect } from 'kysely';
import type pg from 'pg';
import type { Logger, Settings } from '@spandrel/kernel';
import { migrate } from './migrations/migrate.js';
import { cancelQuery, connectionKeeping, assertUsable, openPool } from './postgres/postgres-pool.js';
import { connectionOf, PostgresBackend, type PostgresBackendParts } from './postgres/postgres-backend.js';
import { SqliteBackend, StatementCache } from './sqlite/sqlite-backend.js';
import { StorageMetrics } from './storage-metrics.js';
import { Storage } from './storage.js';
import { migrations } from './migrations/index.js';
import { BoundPostgresDriver, BoundSqliteDriver } from './orm/bound-drivers.js';
import type { Dialect } from './statements/sql.js';
import { closeDatabase, lockDirectory, openReader, openWriter } from './sqlite/open-sqlite.js';
import { DatabaseSettings } from './storage.settings.js';

/**
 * Opens the database, brings its schema up to date and takes it into use. @throws StartError one clear line a fault.
 */
export async function openStorage(config: StorageConfig, options: StorageOptions): Promise<Storage> {
  const opened = await openOrm(config, options);
  const { orm, close } = opened;
  try {
    const began = performance.now();
    const applied = await (opened.dialect === 'sqlite'
      ? migrate(orm, 'sqlite')
      : opened.withoutStatementTimeout((pool) => migrate(orm, 'postgres', pool)));
    options.migrated?.(applied, performance.now() - began);
  } catch (error) {
    await close();
    throw error;
  }
  const { logger, transactionIdleMs } = options;
  const metrics = new StorageMetrics(options.metrics ?? new Registry());
  const parts = { metrics, logger, ...(transactionIdleMs !== undefined && { transactionIdleMs }) };
  if (opened.dialect === 'postgres') {
    const makeManager: PostgresBackendParts['makeManager'] = (client, watch) =>
      managerOn(orm, connectionOf(client, watch));
    const { pool, keeping, url } = opened;
    const cancel = (client: PoolClient): Promise<void> => cancelQuery(client, url);
    return new Storage(new PostgresBackend({ pool, keeping, makeManager, cancel, close }), orm, parts);
  }
  const { file, writer, reader } = opened;
  const connection = orm.em.getConnection('write').getClient();
  return new Storage(
    new SqliteBackend({ file, writer, reader, makeManager: () => managerOn(orm, connection), close }),
    orm,
    parts,
  );
}

function managerOn(orm: MikroORM, connection: unknown): SqlEntityManager {
  const manager = orm.em.fork();
  manager.setTransactionContext(connection);
  return manager;
}

/** Which database. SQLite takes the directory of its file for this process alone. */
export type StorageConfig = { dialect: 'sqlite'; file: string } | PostgresConfig;

interface PostgresConfig {
  dialect: 'postgres';
  url: string;
  /** Connections of this process at most; ten when left out. */
  poolMax?: number;
  /** How long a statement of a request may take; a minute when left out. */
  statementTimeoutMs?: number;
  /** Whether a pooler in transaction mode is on the way; not when left out. */
  transactionPooling?: boolean;
}

export interface StorageOptions {
  entities: readonly unknown[];
  logger: Logger;
  /** Hears of the migrations that ran at the opening, by name and in order, and how long they took with waiting for others. */
  migrated?: (applied: readonly string[], durationMs: number) => void;
  metrics?: Registry;
  /** How long a transaction may ask nothing of the database before it is given up; half a minute when left out. */
  transactionIdleMs?: number;
}

const POOL_MAX_DEFAULT = 10;
const STATEMENT_TIMEOUT_MS_DEFAULT = 60_000;
/** One holds the lock on the schema, one works. */
const UNHURRIED_POOL_MAX = 2;

/**
 * Opens connections and the ORM on them: two copies of SQLite's driver would undo each other's locks. @throws
 * StartError
 */
export const openOrm = async (config: StorageConfig, options: StorageOptions) =>
  config.dialect === 'sqlite' ? openSqlite(config.file, options) : openPostgres(config, options);

async function openSqlite(file: string, options: StorageOptions) {
  const closers = [lockDirectory(dirname(file), options.logger)];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) closer();
  };
  try {
    closeDatabase(file, options.logger);
    const writer = openWriter(file);
    closers.push(() => writer.close());
    const reader = openReader(file);
    closers.push(() => reader.close());
    const orm = await initOrm('sqlite', options, {
      driver: BoundSqliteDriver,
      dbName: file,
      driverOptions: () => new SqliteDialect({ database: new StatementCache(writer) }),
      replicas: [{ driverOptions: () => new SqliteDialect({ database: new StatementCache(reader) }) }],
    });
    return { dialect: 'sqlite' as const, orm, file, writer, reader, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPostgres(config: PostgresConfig, options: StorageOptions) {
  const { url, poolMax = POOL_MAX_DEFAULT, statementTimeoutMs = STATEMENT_TIMEOUT_MS_DEFAULT } = config;
  const { logger } = options;
  const isPooled = config.transactionPooling ?? false;
  const keeping = connectionKeeping(isPooled, statementTimeoutMs);
  const pool = openPool({ url, max: poolMax, statementTimeoutMs, keeping, logger });
  try {
    await assertUsable(pool, url, logger);
    let current = pool;
    const orm = await initOrm('postgres', options, {
      driver: BoundPostgresDriver,
      dbName: decodeURIComponent(new URL(url).pathname.slice(1)),
      driverOptions: () =>
        new PostgresDialect({ pool: { options: {}, connect: () => current.connect(), end: async () => undefined } }),
    });
    /** Runs `work` with the ORM on connections whose statements take as long as they need; `pool` gives one of these. */
    const withoutStatementTimeout = async <T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> => {
      current = openPool({
        url,
        max: UNHURRIED_POOL_MAX,
        statementTimeoutMs: null,
        keeping: connectionKeeping(isPooled, null),
        logger,
      });
      try {
        return await work(current);
      } finally {
        await current.end();
        current = pool;
      }
    };
    const close = (): Promise<void> => pool.end();
    return { dialect: 'postgres' as const, orm, url, pool, keeping, withoutStatementTimeout, close };
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

/**
 * The database of the mode: SQLite in the data directory, or Postgres (docs/spec/README.md#the-two-modes).
 * @throws StartError with a line for each setting that cloud mode lacks.
 */
export function databaseOf(settings: Settings): StorageConfig {
  const { mode, dataDir } = settings.core;
  if (mode === 'local') return { dialect: 'sqlite', file: join(dataDir, 'spandrel.db') };
  settings.requireAll();
  const { url, ...others } = settings.of(DatabaseSettings);
  const { poolMax, statementTimeoutMs, transactionPooling } = others;
  return { dialect: 'postgres', url: url!, poolMax, statementTimeoutMs, transactionPooling };
}
