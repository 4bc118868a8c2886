import type { FilterField } from '../../features/filters/filter-field.js';
import {
  readListSearch,
  STATUS_OPTIONS,
  type ListParameters,
  type ListSearch,
} from '../../features/filters/list-search.js';

const FIELDS: readonly FilterField[] = [
  { id: 'tag', label: 'Tag', facet: 'tag', isRepeated: true },
  { id: 'model', label: 'Model', facet: 'model' },
  { id: 'provider', label: 'Provider', facet: 'provider' },
  { id: 'user_id', label: 'User', facet: 'user' },
  { id: 'session_id', label: 'Session', facet: 'session' },
  { id: 'metadata', label: 'Metadata', isKeyed: true },
  { id: 'duration_min', label: 'Minimum duration', unit: 'duration' },
  { id: 'cost_min', label: 'Minimum cost', unit: 'cost' },
  { id: 'score', label: 'Score', isScore: true, isRepeated: true },
  { id: 'tokens_min', label: 'Minimum tokens', unit: 'count' },
];

export const TRACE_PARAMETERS: ListParameters = {
  bar: [
    { id: 'name_contains', label: 'Name', field: 'Filter by name', type: 'typed' },
    { id: 'status', label: 'Status', field: 'Status', type: 'choice', options: STATUS_OPTIONS },
  ],
  fields: FIELDS,
  sorts: {
    keys: {
      ...{ started_at: 'started_at', duration_ms: 'duration', span_count: 'spans' },
      ...{ total_tokens: 'tokens', total_cost: 'cost' },
    },
    usual: { sort_by: 'started_at', sort_order: 'desc' },
  },
};

/** Reads an address; what it does not know is left out. */
export const readTracesSearch = (search: Record<string, unknown>): ListSearch =>
  readListSearch(search, TRACE_PARAMETERS);
