import type { ListSort } from '../../features/sorting/list-sort.js';

/** What the address of the list of runs can say: filters by the API's own names, and its columns. */
export interface EvaluationsSearch extends ListSort {
  dataset_id?: string;
  status?: string;
  execution?: string;
  /** Whether all gates hold. */
  passed?: boolean;
  /** The whole name. */
  name?: string;
  cols?: string;
}

const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'];

/** Reads an address; what it does not know is left out. */
export function readEvaluationsSearch(search: Record<string, unknown>): EvaluationsSearch {
  const { dataset_id, status, execution, passed, name, cols } = search;
  return {
    ...(isText(dataset_id) && { dataset_id }),
    ...(isText(status) && STATUSES.includes(status) && { status }),
    ...((execution === 'server' || execution === 'external') && { execution }),
    ...(typeof passed === 'boolean' && { passed }),
    ...(isText(name) && { name }),
    ...(isText(cols) && { cols }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
