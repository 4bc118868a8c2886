import { setTimeout as pause } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/sql';
import type { Migrator } from '@mikro-orm/migrations';
import type pg from 'pg';
import { CoreSettings, settingName, StartError } from '@spandrel/kernel';
import type { Dialect } from '../statements/sql.js';
import { migrations } from './index.js';

/** Any constant: instances that start at once wait for each other on it. */
const MIGRATION_LOCK = 7_261_500_112;

/** How often a migration is begun again when others held a table for too long, and how long they are let pass meanwhile. */
const LOCK_ATTEMPTS = 30;
const LOCK_PAUSE_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings the schema up to date; on Postgres one instance at a time.
 * @returns names of the migrations that ran now, in order.
 * @throws StartError when the database has migrations that this version does not know, is from before 0.1.0, or one fails.
 */
export async function migrate(orm: MikroORM, dialect: Dialect, pool?: pg.Pool): Promise<string[]> {
  if (!pool) return runMigrations(orm, dialect);
  const client = await pool.connect();
  try {
    // A lock of a transaction, which PgBouncer keeps on one connection; waited for as long as others migrate.
    await client.query('begin; set local lock_timeout = 0');
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    return await runMigrations(orm, dialect);
  } finally {
    await client.query('rollback').catch(() => undefined);
    client.release();
  }
}

async function runMigrations(orm: MikroORM, dialect: Dialect): Promise<string[]> {
  const migrator = orm.config.getExtension<Migrator>('@mikro-orm/migrator')!;
  try {
    await assertKnown(migrator, dialect);
    return await upPatiently(migrator);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const place =
      dialect === 'postgres'
        ? 'DATABASE_URL'
        : `${settingName(CoreSettings.declared.dataDir)}: ${orm.config.get('dbName')}`;
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new StartError([`${place}: the database could not be brought up to date: ${reason}`]);
  }
}

async function assertKnown(migrator: Migrator, dialect: Dialect): Promise<void> {
  const known = migrations[dialect].map(({ name }) => name);
  const unknown = (await migrator.getExecuted()).map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  // Names begin with their date, and the first of those that are known is the baseline.
  if (unknown.some((name) => name < known[0]!)) {
    throw new StartError([
      'the database was made by a version of Spandrel before 0.1.0, which this version cannot open; export its projects with ' +
        'the version that made it, start this one on a new database, and import the files (docs/operations.md#upgrades)',
    ]);
  }
  throw new StartError([
    `the database was made by a newer version of Spandrel (unknown migrations: ${unknown.join(', ')}); upgrade Spandrel or restore a backup`,
  ]);
}

/**
 * Runs what is outstanding, all or nothing. A migration that waits for a table makes everybody behind it wait too, so it
 * waits shortly (`lock_timeout` of its connection) and comes again.
 */
async function upPatiently(migrator: Migrator): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await migrator.up()).map(({ name }) => name);
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || !lacksLock(error)) throw error;
      await pause(LOCK_PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

const lacksLock = (error: unknown): boolean =>
  error instanceof Error && ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE || lacksLock(error.cause));
