import type { MikroORM } from '@mikro-orm/sql';
import type { Migrator } from '@mikro-orm/migrations';
import type pg from 'pg';
import { StartError } from '@spandrel/kernel';
import type { Dialect } from '../sql.js';
import { migrations } from './index.js';

/** Any constant: instances that start at once wait for each other on it. */
const MIGRATION_LOCK = 7_261_500_112;

/**
 * Brings the schema up to date; on Postgres one instance at a time.
 * @throws StartError when the database has migrations that this version does not know, or one fails.
 */
export async function migrate(orm: MikroORM, dialect: Dialect, pool?: pg.Pool): Promise<void> {
  if (!pool) return runMigrations(orm, dialect);
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await runMigrations(orm, dialect);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    client.release();
  }
}

async function runMigrations(orm: MikroORM, dialect: Dialect): Promise<void> {
  const migrator = orm.config.getExtension<Migrator>('@mikro-orm/migrator')!;
  const known = new Set(migrations[dialect].map(({ name }) => name));
  const unknown = (await migrator.getExecuted()).map(({ name }) => name).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new StartError([
      `the database was made by a newer version of Spandrel (unknown migrations: ${unknown.join(', ')}); upgrade Spandrel or restore a backup`,
    ]);
  }
  try {
    await migrator.up();
  } catch (error) {
    throw new StartError([`the database could not be brought up to date: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
