import { SpandrelError, type Api } from '@spandrel/sdk';
import type { DatasetResource } from '@spandrel/contract';
import { CommandFailure } from '../exit-codes.js';

/** @returns the dataset that has this id, or else this name; `undefined` when none has. @throws CommandFailure when several have the name. */
export async function lookForDataset(api: Api, nameOrId: string): Promise<DatasetResource | undefined> {
  const named: DatasetResource[] = [];
  for await (const dataset of api.pages('listDatasets')) {
    if (dataset.id === nameOrId) return dataset;
    if (dataset.name === nameOrId) named.push(dataset);
  }
  if (named.length > 1) {
    const ids = named.map(({ id, datapoint_count: count }) => `  ${id}  ${count} datapoints`);
    throw new CommandFailure(
      [`${named.length} datasets are called "${nameOrId}"; give the id of one:`, ...ids].join('\n'),
    );
  }
  return named[0];
}

/** @returns the dataset that has this id, or else this name. @throws SpandrelError `dataset_not_found` when none has. */
export async function findDataset(api: Api, nameOrId: string): Promise<DatasetResource> {
  const found = await lookForDataset(api, nameOrId);
  if (found) return found;
  const detail = `no dataset has the name or the id "${nameOrId}"`;
  throw new SpandrelError({ status: 404, code: 'dataset_not_found', detail });
}
