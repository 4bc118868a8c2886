import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import type { StorageConfig } from '@spandrel/storage';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { tempDir } from './spandrel.ts';

/** Makes a new, empty database. */
export type NewDatabase = (name: string) => Promise<StorageConfig>;

/** Both databases for `describe.each`; Postgres runs for as long as the tests of this file. */
export function bothDatabases(): [name: string, newDatabase: NewDatabase][] {
  const directory = tempDir();
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());
  return [
    ['SQLite', async (name) => ({ dialect: 'sqlite', file: join(directory, name, 'spandrel.db') })],
    ['Postgres', async (name) => ({ dialect: 'postgres', url: await postgres!.createDatabase(name) })],
  ];
}
