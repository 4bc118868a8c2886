import { readListSearch, type ListParameters, type ListSearch } from '../../features/filters/list-search.js';
import { capitalized } from '../../components/format.js';

const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'];

/** What the list of runs is filtered and sorted by. @param datasets those that are offered; any when left out. */
export const runParameters = (datasets?: readonly { id: string; name: string }[]): ListParameters => ({
  bar: [
    { id: 'name', label: 'Name', field: 'Run name', type: 'typed' },
    {
      ...{ id: 'dataset_id', label: 'Dataset', field: 'Dataset', type: 'choice' },
      ...(datasets && {
        options: [{ value: '', label: 'Any dataset' }, ...datasets.map(({ id, name }) => ({ value: id, label: name }))],
      }),
    },
    {
      ...{ id: 'status', label: 'Status', field: 'Status', type: 'choice' },
      options: [{ value: '', label: 'Any status' }, ...STATUSES.map((value) => ({ value, label: capitalized(value) }))],
    },
    {
      ...{ id: 'execution', label: 'Execution', field: 'Execution', type: 'choice' },
      options: [
        { value: '', label: 'Any execution' },
        { value: 'server', label: 'By this server' },
        { value: 'external', label: 'External' },
      ],
    },
    {
      ...{ id: 'passed', label: 'Gates', field: 'Gates', type: 'choice' },
      options: [
        { value: '', label: 'Passed or not' },
        { value: 'true', label: 'Passed' },
        { value: 'false', label: 'Not passed' },
      ],
    },
  ],
  fields: [
    { id: 'metadata', label: 'Metadata', isKeyed: true },
    { id: 'group_id', label: 'Group' },
  ],
  sorts: {
    keys: { started: 'created_at', name: 'name', score: 'score' },
    usual: { sort_by: 'created_at', sort_order: 'desc' },
  },
  isTimeless: true,
});

/** Reads an address; what it does not know is left out. */
export const readEvaluationsSearch = (search: Record<string, unknown>): ListSearch =>
  readListSearch(search, runParameters());
