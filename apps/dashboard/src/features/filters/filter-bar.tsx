import { useEffect, useLayoutEffect, useRef, useState, type Ref } from 'react';
import { SelectField } from '../../components/field.js';
import { formatTime } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useLatest, useIdle } from '../../components/hooks.js';
import { Button } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import { SearchFilter } from './search-filter.js';
import { withField, type FilterChip, type FilterField } from './filter-field.js';
import {
  bareSearch,
  listChips,
  withMember,
  withRange,
  type BarFilter,
  type ListParameters,
  type ListSearch,
} from './list-search.js';
import type { FilterMenu } from './filter-menu.js';
import { choiceOf, RANGE_OPTIONS, rangeOfChoice, type RangeChoice, type TimeRangeFieldProps } from './time-range.js';
import styles from './filter-bar.module.css';
import { lazyPart } from '../../components/lazy-part.js';

interface FilterBarProps {
  search: ListSearch;
  parameters: ListParameters;
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
  useLayoutEffect(() => {
    asked.current = search;
  }, [search]);
  const change = useLatest((update: (before: ListSearch) => ListSearch, isTyped?: boolean) => {
    asked.current = update(asked.current);
    onChange(asked.current, isTyped);
  });
  return (
    <search aria-label="Filters" className="stack">
      <div className="row fields">
        {bar.map((filter) => (
          <BarField
            key={filter.id}
            ref={filter === bar[0] ? first : null}
            filter={filter}
            value={[search[filter.id] ?? ''].flat().join(' ')}
            onChange={(value, isTyped) => change((before) => withMember(before, filter.id, value), isTyped)}
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
      <SelectField
        {...{ options, value }}
        label={field}
        className={styles.choice}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  const isEntered = type === 'entered';
  return (
    <SearchFilter
      {...{ value, ref, isEntered }}
      label={field}
      className={styles.text}
      onChange={(text) => onChange(text, !isEntered)}
    />
  );
}

interface FilterChipsProps {
  chips: readonly FilterChip<ListSearch>[];
  onRemove(chip: FilterChip<ListSearch>): void;
  onClear(): void;
}

/** The filters that are on, each a button that takes it away. */
function FilterChips({ chips, onRemove, onClear }: FilterChipsProps) {
  if (chips.length === 0) return null;
  return (
    <div className={styles.chips}>
      {chips.map((chip) => (
        <button key={`${chip.name} ${chip.value}`} type="button" className={styles.chip} onClick={() => onRemove(chip)}>
          <span className="visually-hidden">Remove filter: </span>
          <span className="quiet">{chip.name} </span>
          <span className={styles.value}>{chip.value}</span>
          <Icon name="close" size={12} />
        </button>
      ))}
      <Button variant="quiet" onClick={onClear}>
        Clear filters
      </Button>
    </div>
  );
}

interface AddFilterProps {
  fields: readonly FilterField[];
  onAdd(field: FilterField, value: string): void;
}

const FilterDialog = lazyPart(async () => (await import('./filter-dialog.js')).FilterDialog);

function AddFilter({ fields, onAdd }: AddFilterProps) {
  const [asked, setAsked] = useState<FilterField | null>(null);
  const waiting = useRef<HTMLButtonElement>(null);
  const [isPressed, setIsPressed] = useState(false);
  const loaded = useFilterMenu(useIdle() || isPressed, waiting);
  return (
    <>
      {loaded === null ? (
        <Button ref={waiting} icon="plus" aria-haspopup="menu" onClick={() => setIsPressed(true)}>
          Add filter
        </Button>
      ) : (
        <loaded.Menu fields={fields} onChoose={setAsked} hasFocus={loaded.hadFocus} isOpen={isPressed} />
      )}
      {asked && <FilterDialog field={asked} onAdd={onAdd} onClose={() => setAsked(null)} />}
    </>
  );
}

/** The menu, once it is loaded, and whether the button that stood for it had the focus then. */
function useFilterMenu(isWanted: boolean, waiting: { readonly current: HTMLButtonElement | null }) {
  const [loaded, setLoaded] = useState<{ Menu: typeof FilterMenu; hadFocus: boolean } | null>(null);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isGone = false;
    void import('./filter-menu.js').then(({ FilterMenu: Menu }) => {
      const hadFocus = waiting.current !== null && document.activeElement === waiting.current;
      if (!isGone) setLoaded((before) => before ?? { Menu, hadFocus });
    });
    return () => {
      isGone = true;
    };
  }, [isWanted, waiting]);
  return loaded;
}

const CustomRange = lazyPart(async () => (await import('./custom-range.js')).CustomRange);

/** The combobox `Time range`, and both ends where it is `Custom`. */
export function TimeRangeField({ value, onChange }: TimeRangeFieldProps) {
  const choice = choiceOf(value);
  return (
    <div className={styles.range}>
      <SelectField
        label="Time range"
        options={RANGE_OPTIONS}
        value={choice}
        onChange={(event) => onChange(rangeOfChoice(event.target.value as RangeChoice, Date.now()), false)}
      />
      {choice === 'custom' && <CustomRange {...{ value, onChange }} />}
    </div>
  );
}
