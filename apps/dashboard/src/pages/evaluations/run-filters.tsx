import { SelectField } from '../../components/field.js';
import { useDatasetNames } from '../../features/runs/use-dataset-names.js';
import type { EvaluationsSearch } from './evaluations-search.js';
import styles from './evaluations-page.module.css';

const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  { value: 'pending', label: 'Pending' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
];

interface RunFiltersProps {
  search: EvaluationsSearch;
  onChange(search: EvaluationsSearch): void;
}

/** Which runs are listed. */
export function RunFilters({ search, onChange }: RunFiltersProps) {
  const { datasets } = useDatasetNames();
  const set = (member: 'dataset_id' | 'status') => (event: { currentTarget: { value: string } }) => {
    const { [member]: _before, ...rest } = search;
    const { value } = event.currentTarget;
    onChange(value === '' ? rest : { ...rest, [member]: value });
  };
  return (
    <search aria-label="Filters" className={styles.filters}>
      <SelectField
        label="Dataset"
        value={search.dataset_id ?? ''}
        onChange={set('dataset_id')}
        options={[{ value: '', label: 'Any dataset' }, ...datasets.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      <SelectField label="Status" value={search.status ?? ''} onChange={set('status')} options={STATUS_OPTIONS} />
    </search>
  );
}
