import type { SearchMode } from '@spandrel/contract';
import type { FilterField } from '../../features/filters/filter-field.js';
import {
  readListSearch,
  STATUS_OPTIONS,
  type BarFilter,
  type ListParameters,
  type ListSearch,
  type OfferedSorts,
} from '../../features/filters/list-search.js';
import type { RowChanges } from '../../features/list/list-rules.js';
import type { LiveEvent } from '../../live/live-event.js';

const FIELDS: readonly FilterField[] = [
  { id: 'tag', label: 'Tag', facet: 'tag', isRepeated: true },
  { id: 'kind', label: 'Kind', facet: 'kind' },
  { id: 'model', label: 'Model', facet: 'model' },
  { id: 'provider', label: 'Provider', facet: 'provider' },
  { id: 'user_id', label: 'User', facet: 'user' },
  { id: 'session_id', label: 'Session', facet: 'session' },
  { id: 'metadata', label: 'Metadata', isKeyed: true },
  { id: 'ids', label: 'Span ID', isRepeated: true },
  { id: 'error_contains', label: 'Error contains' },
  { id: 'input_contains', label: 'Input contains' },
  { id: 'output_contains', label: 'Output contains' },
  { id: 'duration_min', label: 'Minimum duration', unit: 'duration' },
  { id: 'duration_max', label: 'Maximum duration', unit: 'duration' },
  { id: 'cost_min', label: 'Minimum cost', unit: 'cost' },
  { id: 'score', label: 'Score', isScore: true, isRepeated: true },
  { id: 'tokens_min', label: 'Minimum tokens', unit: 'count' },
];

/** Columns by which the server sorts. */
const SPAN_SORTS: OfferedSorts = {
  keys: { started_at: 'started_at', name: 'name', duration: 'duration', tokens: 'tokens', cost: 'cost' },
  usual: { sort_by: 'started_at', sort_order: 'desc' },
};

const MODE_LABELS: Readonly<Record<SearchMode, string>> = {
  text: 'All words',
  vector: 'Meaning',
  hybrid: 'Words and meaning',
};

/** How texts are searched: letter by letter, or by the index where the project has one. */
const modeFilter = (modes: readonly SearchMode[]): BarFilter => ({
  id: 'mode',
  label: 'Search mode',
  field: 'Search mode',
  type: 'choice',
  isMode: true,
  options: [{ value: '', label: 'Exact text' }, ...modes.map((mode) => ({ value: mode, label: MODE_LABELS[mode] }))],
});

/** What the address of the page of spans can say. @param modes those of a search by index that the project has. */
export function spanParameters(modes: readonly SearchMode[]): ListParameters {
  return {
    bar: [
      { id: 'text_contains', label: 'Text', field: 'Search in texts', type: 'entered' },
      ...(modes.length > 0 ? [modeFilter(modes)] : []),
      { id: 'name_contains', label: 'Name', field: 'Filter by name', type: 'typed' },
      { id: 'status', label: 'Status', field: 'Status', type: 'choice', options: STATUS_OPTIONS },
    ],
    fields: FIELDS,
    sorts: SPAN_SORTS,
  };
}

/** What the address can say in any project. */
export const ALL_PARAMETERS = spanParameters(['text', 'vector', 'hybrid']);

/** Reads an address; what it does not know is left out. */
export const readSpansSearch = (search: Record<string, unknown>): ListSearch => readListSearch(search, ALL_PARAMETERS);

/** Whether an index finds the spans, best first. */
export const searchesIndex = ({ mode, text_contains: text }: ListSearch): boolean =>
  mode !== undefined && text !== undefined;

/** Whether spans are found by their texts, which takes time on large databases. */
export function searchesTexts(search: ListSearch): boolean {
  return ['text_contains', 'input_contains', 'output_contains'].some((name) => search[name] !== undefined);
}

/** What an event says of the list of spans. A deleted trace takes its spans along, by the trace's id. */
export function spanChanges(event: LiveEvent): RowChanges {
  // A filter may begin to match, or stop, when a span ends.
  if ('span' in event) return { changed: [event.span.id], hasNew: true };
  switch (event.type) {
    case 'span_deleted':
      return { deleted: [event.span_id] };
    case 'trace_deleted':
      return { deleted: [event.trace_id] };
    case 'cleared':
      return { isCleared: true };
    default:
      return {};
  }
}
