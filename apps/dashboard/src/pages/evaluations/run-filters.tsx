import { SelectField } from '../../components/field.js';
import { FilterChips } from '../../features/filters/filter-chips.js';
import { TypedFilter } from '../../features/filters/typed-filter.js';
import { useDatasetNames } from '../../features/runs/use-dataset-names.js';
import { metadataIn, type EvaluationsSearch } from './evaluations-search.js';
import styles from './evaluations-page.module.css';

const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  { value: 'pending', label: 'Pending' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
];

const EXECUTION_OPTIONS = [
  { value: '', label: 'Any execution' },
  { value: 'server', label: 'By this server' },
  { value: 'external', label: 'External' },
];

const GATES_OPTIONS = [
  { value: '', label: 'Passed or not' },
  { value: 'true', label: 'Passed' },
  { value: 'false', label: 'Not passed' },
];

interface RunFiltersProps {
  search: EvaluationsSearch;
  onChange(search: EvaluationsSearch, isTyped?: boolean): void;
}

/** Which runs are listed. */
export function RunFilters({ search, onChange }: RunFiltersProps) {
  const { datasets } = useDatasetNames();
  const change = (member: keyof EvaluationsSearch, value: string, isTyped = false): void => {
    const { [member]: _before, ...rest } = search;
    onChange(value === '' ? rest : { ...rest, [member]: value }, isTyped);
  };
  const set =
    (member: 'dataset_id' | 'status' | 'execution' | 'passed') => (event: { currentTarget: { value: string } }) =>
      change(member, event.currentTarget.value);
  const chips = metadataIn({ ...search }).map(([name, value]) => ({
    name,
    value,
    without: ({ [name]: _removed, ...rest }: EvaluationsSearch): EvaluationsSearch => rest,
  }));
  return (
    <search aria-label="Filters" className={styles.filters}>
      <TypedFilter label="Run name" value={search.name ?? ''} onChange={(name) => change('name', name, true)} />
      <SelectField
        label="Dataset"
        value={search.dataset_id ?? ''}
        onChange={set('dataset_id')}
        options={[{ value: '', label: 'Any dataset' }, ...datasets.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      <SelectField label="Status" value={search.status ?? ''} onChange={set('status')} options={STATUS_OPTIONS} />
      <SelectField
        label="Execution"
        value={search.execution ?? ''}
        onChange={set('execution')}
        options={EXECUTION_OPTIONS}
      />
      <SelectField label="Gates" value={search.passed ?? ''} onChange={set('passed')} options={GATES_OPTIONS} />
      <FilterChips chips={chips} onRemove={(chip) => onChange(chip.without(search))} onClear={() => onChange({})} />
    </search>
  );
}
