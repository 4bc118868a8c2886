import { sourceOptions } from '../../features/datapoint/sources.js';
import { readListSearch, type ListParameters, type ListSearch } from '../../features/filters/list-search.js';

/** What the address of the datapoints of a dataset can say. The server orders them by when they were made. */
export const DATAPOINT_PARAMETERS: ListParameters = {
  bar: [
    { id: 'text_contains', label: 'Text', field: 'Search in datapoints', type: 'typed' },
    {
      id: 'source',
      label: 'Source',
      field: 'Source',
      type: 'choice',
      options: sourceOptions(),
    },
  ],
  fields: [{ id: 'metadata', label: 'Metadata', isKeyed: true }],
  sorts: { keys: { created_at: 'created_at' }, usual: { sort_by: 'created_at', sort_order: 'desc' } },
  isTimeless: true,
};

/** Tabs of the page; the first is left out of the address. */
export const DATASET_TABS = ['datapoints', 'runs', 'rules'] as const;
export type DatasetTab = (typeof DATASET_TABS)[number];

/** Search parameters of the page: its tab, and what the list of datapoints is asked for. */
export interface DatasetSearch extends ListSearch {
  tab?: DatasetTab;
}

/** Reads an address; what it does not know is left out. */
export function readDatasetSearch(search: Record<string, unknown>): DatasetSearch {
  const tab = DATASET_TABS.slice(1).find((one) => one === search['tab']);
  return { ...readListSearch(search, DATAPOINT_PARAMETERS), ...(tab && { tab }) };
}
