import { readSort, readTexts, type ListSort, type OfferedSorts } from '../../features/filters/list-search.js';

/** What the address of the list of runs can say: filters by the API's own names, and its columns. */
export interface EvaluationsSearch extends ListSort {
  dataset_id?: string;
  status?: string;
  execution?: string;
  /** Whether all gates hold. */
  passed?: 'true' | 'false';
  /** The whole name. */
  name?: string;
  /** Runs that were started together. */
  group_id?: string;
  cols?: string;
  /** Runs with this text under the key. */
  [metadata: `metadata.${string}`]: string;
}

/** By what the list of runs can be sorted. */
export const RUN_SORTS: OfferedSorts = {
  keys: { started: 'created_at', name: 'name', score: 'score' },
  usual: { sort_by: 'created_at', sort_order: 'desc' },
};

const METADATA = 'metadata.';

/** Filters by metadata that an address has: `metadata.commit` and the commit. */
export function metadataIn(search: Record<string, unknown>): [`metadata.${string}`, string][] {
  const isKey = (key: string): key is `metadata.${string}` => key.startsWith(METADATA) && key !== METADATA;
  return Object.entries(readTexts(search, Object.keys(search).filter(isKey))) as [`metadata.${string}`, string][];
}

/** What the filter by status offers. */
export const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'];

/** Reads an address; what it does not know is left out. */
export function readEvaluationsSearch(search: Record<string, unknown>): EvaluationsSearch {
  const { status, execution, passed } = search;
  return {
    ...readTexts(search, ['dataset_id', 'name', 'group_id', 'cols']),
    ...(typeof status === 'string' && STATUSES.includes(status) && { status }),
    ...((execution === 'server' || execution === 'external') && { execution }),
    ...((passed === 'true' || passed === 'false') && { passed }),
    ...Object.fromEntries(metadataIn(search)),
    ...readSort(search, RUN_SORTS),
  };
}
