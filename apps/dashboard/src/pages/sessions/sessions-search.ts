import { readListSearch, type ListParameters, type ListSearch } from '../../features/filters/list-search.js';

/** What the address of the page of sessions can say. The server sorts sessions by their start alone. */
export const SESSION_PARAMETERS: ListParameters = {
  bar: [{ id: 'id_contains', label: 'ID', field: 'Filter by ID', type: 'typed' }],
  fields: [{ id: 'user_id', label: 'User', facet: 'user' }],
  sorts: { keys: {}, usual: { sort_by: 'started_at', sort_order: 'desc' } },
};

/** Reads an address; what it does not know is left out. */
export const readSessionsSearch = (search: Record<string, unknown>): ListSearch =>
  readListSearch(search, SESSION_PARAMETERS);
