import { readListSearch, type ListParameters, type ListSearch } from '../../features/filters/list-search.js';

export const USER_PARAMETERS: ListParameters = {
  bar: [{ id: 'id_contains', label: 'Name', field: 'Filter by name', type: 'typed' }],
  fields: [],
  sorts: {
    keys: {
      call_count: 'calls',
      error_count: 'errors',
      total_tokens: 'tokens',
      total_cost: 'cost',
      last_seen_at: 'last_seen',
    },
    usual: { sort_by: 'last_seen', sort_order: 'desc' },
  },
};

/** Reads an address; what it does not know is left out. */
export const readUsersSearch = (search: Record<string, unknown>): ListSearch => readListSearch(search, USER_PARAMETERS);
