import { SelectField, TextField } from '../../components/field.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { readClock, writeClock } from './clock-field.js';
import { choiceOf, RANGE_OPTIONS, rangeOfChoice, type RangeChoice, type TimeRange } from './time-range.js';
import styles from './time-range-field.module.css';

export interface TimeRangeFieldProps {
  value: TimeRange;
  /** @param isTyped whether it comes while one types, so that Back does not go through every key. */
  onChange(value: TimeRange, isTyped: boolean): void;
}

/** The combobox `Time range`, and both ends where it is `Custom`. */
export function TimeRangeField({ value, onChange }: TimeRangeFieldProps) {
  const { times } = usePreferences();
  const choice = choiceOf(value);
  const change = (end: 'since' | 'until', text: string): void => {
    const { [end]: _before, ...other } = value;
    const at = readClock(text, times);
    onChange({ ...other, ...(at !== undefined && { [end]: at }) }, true);
  };
  return (
    <div className={styles.range}>
      <SelectField
        label="Time range"
        options={RANGE_OPTIONS}
        value={choice}
        onChange={(event) => onChange(rangeOfChoice(event.target.value as RangeChoice, Date.now()), false)}
      />
      {choice === 'custom' &&
        (['since', 'until'] as const).map((end) => (
          <TextField
            key={end}
            type="datetime-local"
            step={1}
            label={`${end === 'since' ? 'From' : 'To'}${times === 'utc' ? ' (UTC)' : ''}`}
            value={writeClock(value[end], times)}
            onChange={(event) => change(end, event.target.value)}
          />
        ))}
    </div>
  );
}
