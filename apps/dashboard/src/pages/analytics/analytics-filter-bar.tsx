import { SelectField } from '../../components/field.js';
import { formatId } from '../../components/format/format-id.js';
import { TimeRangeField } from '../../features/time-range/time-range-field.js';
import { BUCKET_OPTIONS, readAnalyticsSearch, SPLIT_OPTIONS, type AnalyticsSearch } from './analytics-search.js';
import styles from './analytics-page.module.css';

export interface AnalyticsFilterBarProps {
  search: AnalyticsSearch;
  /** Names of all models. */
  models: readonly string[];
  onChange(search: AnalyticsSearch, isTyped?: boolean): void;
}

/** Stands before the name of a model: a name may be empty, and so may the choice. */
const MODEL = '=';

/** What is added up, and how it is cut. */
export function AnalyticsFilterBar({ search, models, onChange }: AnalyticsFilterBarProps) {
  const { range: _range, since: _since, until: _until, ...rest } = search;
  const change = (changes: Record<string, unknown>): void => onChange(readAnalyticsSearch({ ...search, ...changes }));
  const names = search.model === undefined || models.includes(search.model) ? models : [...models, search.model];
  return (
    <search aria-label="Filters" className={styles.filters}>
      <TimeRangeField value={search} onChange={(range, isTyped) => onChange({ ...rest, ...range }, isTyped)} />
      <SelectField
        label="Bucket"
        options={BUCKET_OPTIONS}
        value={search.group_by ?? ''}
        onChange={({ target }) => change({ group_by: target.value })}
      />
      <SelectField
        label="Split by"
        options={SPLIT_OPTIONS}
        value={search.split_by ?? ''}
        onChange={({ target }) => change({ split_by: target.value })}
      />
      <SelectField
        label="Model"
        className={styles.model}
        options={[
          { value: '', label: 'Any model' },
          ...names.map((name) => ({ value: `${MODEL}${name}`, label: formatId(name) })),
        ]}
        value={search.model === undefined ? '' : `${MODEL}${search.model}`}
        onChange={({ target: { value } }) => change({ model: value === '' ? undefined : value.slice(MODEL.length) })}
      />
    </search>
  );
}
