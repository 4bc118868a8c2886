import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql';
import { Registry } from '@prometheus-io/client';
import type { PoolClient } from 'pg';
import { migrate } from './migrations/migrate.js';
import { openOrm, type StorageConfig, type StorageOptions } from './open-orm.js';
import { cancelQuery } from './postgres/postgres-pool.js';
import { connectionOf, PostgresBackend, type PostgresBackendParts } from './postgres/postgres-backend.js';
import { SqliteBackend } from './sqlite/sqlite-backend.js';
import { StorageMetrics } from './storage-metrics.js';
import { Storage } from './storage.js';

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
