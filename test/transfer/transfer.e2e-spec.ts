/** Export and import on both databases, in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { StorageConfig } from '@spandrel/storage';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { exports } from './exports.ts';
import { imports } from './imports.ts';
import { roundTrips } from './round-trips.ts';
import { startTransferServer, type TransferServer } from './transfer-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'spandrel-transfer-'));
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
  let opened: TransferServer | undefined;
  beforeAll(async () => {
    opened = await startTransferServer(await newDatabase('transfer'));
  });
  afterAll(() => opened?.close());

  const server = (): TransferServer => opened!;
  roundTrips(server);
  exports(server);
  imports(server);
});
