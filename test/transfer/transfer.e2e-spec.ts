/** Export and import on both databases, in this process. */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { bothDatabases } from '../support/databases.ts';
import { exports } from './exports.ts';
import { imports } from './imports.ts';
import { roundTrips } from './round-trips.ts';
import { startTransferServer, type TransferServer } from './transfer-server.ts';

describe.each(bothDatabases())('on %s', (_name, newDatabase) => {
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
