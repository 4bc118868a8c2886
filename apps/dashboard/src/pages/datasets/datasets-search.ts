import { readListSearch, type ListParameters, type ListSearch } from '../../features/filters/list-search.js';

/** What the address of the page of datasets can say: its columns alone. */
export const DATASETS_PARAMETERS: ListParameters = {
  bar: [],
  fields: [],
  sorts: { keys: {}, usual: { sort_by: 'created_at', sort_order: 'desc' } },
};

/** Reads an address; what it does not know is left out. */
export const readDatasetsSearch = ({ cols }: Record<string, unknown>): ListSearch =>
  readListSearch({ cols }, DATASETS_PARAMETERS);
