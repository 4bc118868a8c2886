import { useState, type ChangeEvent } from 'react';
import { TextField } from '../../components/field.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { readClock, writeClock } from './clock.js';
import type { TimeRangeFieldProps } from './time-range.js';

/** Both ends of a range. */
export function CustomRange(props: TimeRangeFieldProps) {
  return (['since', 'until'] as const).map((end) => <RangeEnd key={end} {...{ ...props, end }} />);
}

function RangeEnd({ end, value, onChange }: TimeRangeFieldProps & { end: 'since' | 'until' }) {
  const { times } = usePreferences();
  // The field has no value while a part of it is being typed; it keeps what is typed until it is left.
  const [typed, setTyped] = useState<string>();
  const change = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    setTyped(target.value);
    if (target.validity.badInput) return;
    const { [end]: _before, ...other } = value;
    const at = readClock(target.value, times);
    onChange({ ...other, ...(at !== undefined && { [end]: at }) }, true);
  };
  return (
    <TextField
      type="datetime-local"
      step={1}
      label={`${end === 'since' ? 'From' : 'To'}${times === 'utc' ? ' (UTC)' : ''}`}
      value={typed ?? writeClock(value[end], times)}
      onChange={change}
      onBlur={() => setTyped(undefined)}
    />
  );
}
