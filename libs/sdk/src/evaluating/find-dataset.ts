import type { Api } from '../api/client.js';
import type { Dataset } from '../api/schema.js';
import { SpandrelError } from '../api/spandrel-error.js';
import { addItems } from './add-items.js';
import { DefinitionError } from './definition-error.js';
import type { DatasetSource } from './definition.js';

/** Ids that the API takes for one (docs/spec/general.md). */
const ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/**
 * The dataset that a definition names. One that is given with its items is made when there is none of its name, and gets the items that it has not.
 * @throws DefinitionError when there is none, or several of the name.
 */
export async function findDataset(api: Api, source: string | DatasetSource, signal?: AbortSignal): Promise<Dataset> {
  if (typeof source === 'string') {
    const found = (await datasetOfId(api, source, signal)) ?? (await datasetOfName(api, source, signal));
    if (found) return found;
    throw new DefinitionError(`there is no dataset "${source}"; give { name, items } to make one`);
  }
  const { name, description, items } = source;
  const body = { name, ...(description !== undefined && { description }) };
  const dataset = (await datasetOfName(api, name, signal)) ?? (await api.createDataset({ body, signal }));
  await addItems(api, dataset.id, items, signal);
  return api.getDataset({ path: { id: dataset.id }, signal });
}

async function datasetOfId(api: Api, id: string, signal?: AbortSignal): Promise<Dataset | undefined> {
  if (!ID.test(id)) return undefined;
  try {
    return await api.getDataset({ path: { id }, signal });
  } catch (error) {
    if (error instanceof SpandrelError && error.status === 404) return undefined;
    throw error;
  }
}

async function datasetOfName(api: Api, name: string, signal?: AbortSignal): Promise<Dataset | undefined> {
  let found: Dataset | undefined;
  for await (const dataset of api.pages('listDatasets', { query: { limit: 1_000 }, signal })) {
    if (dataset.name !== name) continue;
    if (found)
      throw new DefinitionError(`several datasets are named "${name}"; give the id of one, such as ${found.id}`);
    found = dataset;
  }
  return found;
}
