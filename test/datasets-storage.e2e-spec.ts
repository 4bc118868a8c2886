/** Datasets on both databases, in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { StorageConfig } from '@spandrel/storage';
import { datasetEndpoints } from './storage/datasets-endpoints.ts';
import { datasetImports } from './storage/datasets-imports.ts';
import { datasetImportRecovery } from './storage/datasets-recovery.ts';
import { startDatasetsServer, type DatasetsServer } from './storage/datasets-server.ts';
import { datasetSnapshots } from './storage/datasets-snapshots.ts';
import { startPostgres, type TestPostgres } from './support/postgres.ts';

const directory = mkdtempSync(join(tmpdir(), 'spandrel-datasets-'));
let postgres: TestPostgres | undefined;

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const databases: [name: string, newDatabase: (name: string) => Promise<StorageConfig>][] = [
  ['SQLite', async (name) => ({ dialect: 'sqlite', file: join(directory, name, 'spandrel.db') })],
  ['Postgres', async (name) => ({ dialect: 'postgres', url: await postgres!.createDatabase(name) })],
];

describe.each(databases)('on %s', (_name, newDatabase) => {
  let opened: DatasetsServer | undefined;
  beforeAll(async () => {
    opened = await startDatasetsServer(await newDatabase('datasets'));
  });
  afterAll(() => opened?.close());

  const server = (): DatasetsServer => opened!;
  datasetEndpoints(server);
  datasetImports(server);
  datasetSnapshots(server);
  datasetImportRecovery(() => newDatabase('recovery'));
});
