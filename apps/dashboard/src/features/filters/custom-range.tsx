import { TextField } from '../../components/field.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { readClock, writeClock } from './clock.js';
import type { TimeRangeFieldProps } from './time-range.js';

/** Both ends of a range. */
export function CustomRange({ value, onChange }: TimeRangeFieldProps) {
  const { times } = usePreferences();
  const change = (end: 'since' | 'until', text: string): void => {
    const { [end]: _before, ...other } = value;
    const at = readClock(text, times);
    onChange({ ...other, ...(at !== undefined && { [end]: at }) }, true);
  };
  return (['since', 'until'] as const).map((end) => (
    <TextField
      key={end}
      type="datetime-local"
      step={1}
      label={`${end === 'since' ? 'From' : 'To'}${times === 'utc' ? ' (UTC)' : ''}`}
      value={writeClock(value[end], times)}
      onChange={(event) => change(end, event.target.value)}
    />
  ));
}
