import { useEffect, useRef, type Ref } from 'react';
import { SelectField } from '../../components/field.js';
import { formatTime } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useLatest } from '../../components/use-latest.js';
import { TimeRangeField } from '../time-range/time-range-field.js';
import { AddFilter } from './add-filter.js';
import { EnteredFilter } from './entered-filter.js';
import { FilterChips } from './filter-chips.js';
import { withField } from './filter-field.js';
import {
  bareSearch,
  listChips,
  withBar,
  withRange,
  type BarFilter,
  type ListParameters,
  type ListSearch,
} from './list-search.js';
import { TypedFilter } from './typed-filter.js';
import styles from './filters.module.css';

export interface FilterBarProps {
  search: ListSearch;
  parameters: ListParameters;
  /** @param isTyped replaces the entry of the history in place of adding one. */
  onChange(search: ListSearch, isTyped?: boolean): void;
}

/** The filters of a list: fields above it, the menu `Add filter`, and a button for each filter that is on. */
export function FilterBar({ search, parameters, onChange }: FilterBarProps) {
  const { times } = usePreferences();
  const first = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: '/', label: 'Go to the first search box', group: 'Lists', run: () => first.current?.focus() }]);
  const { bar, fields } = parameters;
  // What was asked for last: one filter may follow another before the page is drawn, as one that waits for a pause in typing.
  const asked = useRef(search);
  useEffect(() => {
    asked.current = search;
  }, [search]);
  const change = useLatest((update: (before: ListSearch) => ListSearch, isTyped?: boolean) => {
    asked.current = update(asked.current);
    onChange(asked.current, isTyped);
  });
  return (
    <search aria-label="Filters" className={styles.filters}>
      <div className={styles.fields}>
        {bar.map((filter) => (
          <BarField
            key={filter.id}
            ref={filter === bar[0] ? first : null}
            filter={filter}
            value={[search[filter.id] ?? ''].flat().join(' ')}
            onChange={(value, isTyped) => change((before) => withBar(before, filter.id, value), isTyped)}
          />
        ))}
        {!parameters.isTimeless && (
          <TimeRangeField
            value={search}
            onChange={(range, isTyped) => change((before) => withRange(before, range), isTyped)}
          />
        )}
        {fields.length > 0 && (
          <AddFilter fields={fields} onAdd={(field, value) => change((before) => withField(before, field, value))} />
        )}
      </div>
      <FilterChips
        chips={listChips(search, parameters, (at) => formatTime(at, times))}
        onRemove={(chip) => change(chip.without)}
        onClear={() => change(bareSearch)}
      />
    </search>
  );
}

interface BarFieldProps {
  filter: BarFilter;
  value: string;
  onChange(value: string, isTyped?: boolean): void;
  ref: Ref<HTMLInputElement>;
}

function BarField({ filter: { type, field, options = [] }, value, onChange, ref }: BarFieldProps) {
  if (type === 'choice') {
    return (
      <SelectField label={field} options={options} value={value} onChange={({ target }) => onChange(target.value)} />
    );
  }
  const shared = { label: field, className: styles.text, value, ref };
  if (type === 'entered') return <EnteredFilter {...shared} onChange={(text) => onChange(text)} />;
  return <TypedFilter {...shared} onChange={(text) => onChange(text, true)} />;
}
