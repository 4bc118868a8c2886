/** Export and import on both databases, in this process. */
import { afterAll, beforeAll } from '@jest/globals';
import { bundles } from './bundles.ts';
import { everything } from './everything.ts';
import { exports } from './exports.ts';
import { imports } from './imports.ts';
import { refusedImports } from './refused-imports.ts';
import { roundTrips } from './round-trips.ts';
import { sampledRuns } from './sampled-runs.ts';
import { startTransferServer, type TransferServer } from './transfer-server.ts';
import { describeOnBothDatabases, showsAll } from '../support/databases.ts';

describeOnBothDatabases('export and import', ({ name, newDatabase }) => {
  const all = showsAll(name);
  let opened: TransferServer | undefined;
  beforeAll(async () => {
    opened = await startTransferServer(await newDatabase('transfer'));
  });
  afterAll(() => opened?.close());

  const server = (): TransferServer => opened!;
  bundles(server);
  roundTrips(server, all);
  everything(server, all);
  sampledRuns(server, all);
  exports(server, all);
  imports(server);
  if (all) refusedImports(server);
});
