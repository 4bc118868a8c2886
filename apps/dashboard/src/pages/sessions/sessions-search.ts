import { readListSearch, type ListParameters, type ListSearch } from '../../features/filters/list-search.js';
import type { RowChanges } from '../../features/list/list-rules.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What the address of the page of sessions can say. The server sorts sessions by their start alone. */
export const SESSION_PARAMETERS: ListParameters = {
  bar: [{ id: 'id_contains', label: 'ID', field: 'Filter by ID', type: 'typed' }],
  fields: [{ id: 'user_id', label: 'User', facet: 'user' }],
  sorts: { keys: {}, usual: { sort_by: 'started_at', sort_order: 'desc' } },
};

/** Reads an address; what it does not know is left out. */
export const readSessionsSearch = (search: Record<string, unknown>): ListSearch =>
  readListSearch(search, SESSION_PARAMETERS);

/** What an event says of the list of sessions: that it may be another. Which session a span is of only the server knows. */
export function sessionChanges(event: LiveEvent): RowChanges {
  if ('span' in event) return { hasNew: true };
  switch (event.type) {
    case 'trace_created':
      return event.trace.session_id === null ? {} : { hasNew: true };
    case 'trace_deleted':
    case 'span_deleted':
      return { hasNew: true };
    case 'cleared':
      return { isCleared: true };
    default:
      return {};
  }
}
