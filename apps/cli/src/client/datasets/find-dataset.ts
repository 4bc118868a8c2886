import { SpandrelError, type Api } from '@spandrel/sdk';
import type { DatasetResource } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { findNamed } from '../find-named.js';

/** @returns the dataset that has this id, or else this name; `undefined` when none has. @throws CommandFailure when several have the name. */
export const lookForDataset = (api: Api, nameOrId: string): Promise<DatasetResource | undefined> =>
  findNamed<DatasetResource>(api.pages('listDatasets'), nameOrId, {
    many: 'datasets',
    about: ({ datapoint_count: count }) => formatCounted(count, 'datapoint'),
  });

/** @returns the dataset that has this id, or else this name. @throws SpandrelError `dataset_not_found` when none has. */
export async function findDataset(api: Api, nameOrId: string): Promise<DatasetResource> {
  const found = await lookForDataset(api, nameOrId);
  if (found) return found;
  const detail = `no dataset has the name or the id "${nameOrId}"`;
  throw new SpandrelError({ status: 404, code: 'dataset_not_found', detail });
}
