import { useRef } from 'react';
import { SelectField } from '../../components/field.js';
import { formatTime } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { AddFilter } from '../../features/filters/add-filter.js';
import { FilterChips } from '../../features/filters/filter-chips.js';
import { withField } from '../../features/filters/filter-field.js';
import { TypedFilter } from '../../features/filters/typed-filter.js';
import { TimeRangeField } from '../../features/time-range/time-range-field.js';
import {
  filterChips,
  readTracesSearch,
  STATUS_OPTIONS,
  TRACE_FIELDS,
  withoutFilters,
  withRange,
  type TracesSearch,
} from './traces-search.js';
import styles from './traces-page.module.css';

export interface TracesFilterBarProps {
  search: TracesSearch;
  /** @param isTyped replaces the entry of the history in place of adding one. */
  onChange(search: TracesSearch, isTyped?: boolean): void;
}

/** The filters of the list of traces. */
export function TracesFilterBar({ search, onChange }: TracesFilterBarProps) {
  const { times } = usePreferences();
  const first = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: '/', label: 'Go to the first search box', group: 'Lists', run: () => first.current?.focus() }]);
  const change = (changes: Record<string, unknown>, isTyped = false): void =>
    onChange(readTracesSearch({ ...search, ...changes }), isTyped);
  return (
    <search aria-label="Filters" className={styles.filters}>
      <div className={styles.fields}>
        <TypedFilter
          ref={first}
          label="Filter by name"
          className={styles.name}
          value={search.name_contains ?? ''}
          onChange={(name) => change({ name_contains: name }, true)}
        />
        <SelectField
          label="Status"
          options={STATUS_OPTIONS}
          value={search.status ?? ''}
          onChange={({ target }) => change({ status: target.value })}
        />
        <TimeRangeField value={search} onChange={(range, isTyped) => onChange(withRange(search, range), isTyped)} />
        <AddFilter fields={TRACE_FIELDS} onAdd={(field, value) => onChange(withField(search, field, value))} />
      </div>
      <FilterChips
        chips={filterChips(search, (at) => formatTime(at, times))}
        onRemove={(chip) => onChange(chip.without(search))}
        onClear={() => onChange(withoutFilters(search))}
      />
    </search>
  );
}
