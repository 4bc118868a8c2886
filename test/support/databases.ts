import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import type { StorageConfig } from '@spandrel/storage';
import { createMigrated } from './migrated-database.ts';
import { createMigratedFile } from './migrated-file.ts';
import { takeDatabase, takeDirectory, type Place } from './places.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { THOROUGH } from './repetitions.ts';
import { tempDir } from './spandrel.ts';

/** A database that everything must work on. */
export interface TestDatabase {
  name: 'SQLite' | 'Postgres';
  /** Where the built program keeps its data: a directory in local mode, a database with a tenant in cloud mode. */
  takePlace: () => Promise<Place>;
  /** Begins to make databases. */
  open: () => Databases;
}

interface Databases {
  /** Makes a new database without a row in it, for what runs in this process; without a table in it where that is asked. */
  newDatabase: (name: string, of?: { tables: boolean }) => Promise<StorageConfig>;
  /** Drops what was made. */
  drop: () => Promise<void>;
}

/** What a suite gets of the database that it is described on. */
export type SuiteDatabase = Pick<TestDatabase, 'name' | 'takePlace'> & Pick<Databases, 'newDatabase'>;

export const SQLITE: TestDatabase = { name: 'SQLite', takePlace: takeDirectory, open: openSqlite };
export const POSTGRES: TestDatabase = { name: 'Postgres', takePlace: takeDatabase, open: openPostgres };

/** Whether a suite shows on this database also what asks no database: on SQLite alone, and on each when tests are thorough. */
export const showsAll = (name: TestDatabase['name']): boolean => name === 'SQLite' || THOROUGH;

/** The tier that this test file is run for (jest.config.js). */
declare const TEST_TIER: 'quick' | 'full';

/**
 * The databases that a file which describes both of them has in this tier: SQLite in `npm test`, Postgres in
 * `npm run test:full`, where a `*.full.e2e-spec.ts` has both.
 */
function databasesOfTier(): readonly TestDatabase[] {
  if (expect.getState().testPath?.endsWith('.full.e2e-spec.ts')) return [SQLITE, POSTGRES];
  return [TEST_TIER === 'full' ? POSTGRES : SQLITE];
}

/** Describes what holds on SQLite and Postgres alike, by a function that describes it on one of them. */
export function forBothDatabases(describeOn: (database: TestDatabase) => void): void {
  databasesOfTier().forEach(describeOn);
}

/** Describes what holds on SQLite and Postgres alike: a suite for each, which differ in nothing but their database. */
export function describeOnBothDatabases(title: string, suite: (database: SuiteDatabase) => void): void {
  forBothDatabases((database) => describeOnDatabase(database, title, suite));
}

/** Describes what one database must do: {@link SQLITE} or {@link POSTGRES}. */
export function describeOnDatabase(
  { name, takePlace, open }: TestDatabase,
  title: string,
  suite: (database: SuiteDatabase) => void,
): void {
  describe(`${title}, on ${name}`, () => {
    const { newDatabase, drop } = open();
    suite({ name, takePlace, newDatabase });
    // Behind what the suite closes: hooks run in the order in which they are written.
    afterAll(drop);
  });
}

function openSqlite(): Databases {
  const directory = tempDir();
  let made = 0;
  return {
    newDatabase: async (name, { tables } = { tables: true }) => {
      const file = join(directory, `${name}-${++made}`, 'spandrel.db');
      if (tables) await createMigratedFile(file);
      return { dialect: 'sqlite', file };
    },
    drop: async () => undefined,
  };
}

function openPostgres(): Databases {
  let postgres: Promise<TestPostgres> | undefined;
  let made = 0;
  return {
    newDatabase: async (name, { tables } = { tables: true }) => {
      const server = await (postgres ??= startPostgres());
      const own = `${name}_${++made}`;
      return { dialect: 'postgres', url: await (tables ? createMigrated(server, own) : server.createDatabase(own)) };
    },
    drop: async () => (await postgres)?.stop(),
  };
}
