import type { ListSort } from '../../features/filters/list-search.js';

/** What the address of the list of runs can say: filters by the API's own names, and its columns. */
export interface EvaluationsSearch extends ListSort {
  dataset_id?: string;
  status?: string;
  execution?: string;
  /** Whether all gates hold. */
  passed?: 'true' | 'false';
  /** The whole name. */
  name?: string;
  cols?: string;
  /** Runs with this text under the key. */
  [metadata: `metadata.${string}`]: string;
}

const METADATA = 'metadata.';

/** Filters by metadata that an address has: `metadata.commit` and the commit. */
export const metadataIn = (search: Record<string, unknown>): [`metadata.${string}`, string][] =>
  Object.entries(search).flatMap(([key, value]) => (hasMetadataKey(key) && isText(value) ? [[key, value]] : []));

const hasMetadataKey = (key: string): key is `metadata.${string}` =>
  key.startsWith(METADATA) && key.length > METADATA.length;

const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'];

/** Reads an address; what it does not know is left out. */
export function readEvaluationsSearch(search: Record<string, unknown>): EvaluationsSearch {
  const { dataset_id, status, execution, passed, name, cols } = search;
  return {
    ...(isText(dataset_id) && { dataset_id }),
    ...(isText(status) && STATUSES.includes(status) && { status }),
    ...((execution === 'server' || execution === 'external') && { execution }),
    ...((passed === 'true' || passed === 'false') && { passed }),
    ...(isText(name) && { name }),
    ...(isText(cols) && { cols }),
    ...Object.fromEntries(metadataIn(search)),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
