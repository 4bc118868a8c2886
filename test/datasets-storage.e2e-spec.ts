/** Datasets on both databases, in this process. */
import { afterAll, beforeAll } from '@jest/globals';
import { capturePreview } from './storage/capture-preview.ts';
import { datasetBatches } from './storage/datasets-batches.ts';
import { datasetEndpoints } from './storage/datasets-endpoints.ts';
import { datasetImports } from './storage/datasets-imports.ts';
import { datasetImportsAgain } from './storage/datasets-imports-again.ts';
import { datasetImportRecovery } from './storage/datasets-recovery.ts';
import { startDatasetsServer, type DatasetsServer } from './storage/datasets-server.ts';
import { datasetLists } from './storage/datasets-lists.ts';
import { datasetSnapshots } from './storage/datasets-snapshots.ts';
import { describeOnBothDatabases } from './support/databases.ts';

describeOnBothDatabases('datasets', ({ newDatabase }) => {
  let opened: DatasetsServer | undefined;
  beforeAll(async () => {
    opened = await startDatasetsServer(await newDatabase('datasets'));
  });
  afterAll(() => opened?.close());

  const server = (): DatasetsServer => opened!;
  datasetEndpoints(server);
  datasetBatches(server);
  datasetLists(server);
  capturePreview(server);
  datasetImports(server);
  datasetImportsAgain(server);
  datasetSnapshots(server);
  datasetImportRecovery(() => newDatabase('recovery'));
});
