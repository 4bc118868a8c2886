import { useEffect, useRef, useState, type Ref } from 'react';
import { TextField } from '../../components/field.js';

/** The list follows what is typed after this pause. */
const PAUSE_MS = 200;

interface TypedFilterProps {
  label: string;
  /** What the address says. */
  value: string;
  onChange(value: string): void;
  className?: string | undefined;
  ref?: Ref<HTMLInputElement>;
}

/** A searchbox that filters while one types. */
export function TypedFilter({ label, value, onChange, className, ref }: TypedFilterProps) {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address changed by another way: Back, or a button that removes the filter.
  if (value !== before) {
    setBefore(value);
    if (value !== text) setText(value);
  }
  const apply = (next: string): void => {
    clearTimeout(timer.current);
    onChange(next);
  };
  return (
    <TextField
      ref={ref}
      type="search"
      label={label}
      className={className}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(target.value), PAUSE_MS);
      }}
      onKeyDown={(event) => event.key === 'Enter' && apply(text)}
    />
  );
}

interface EnteredFilterProps {
  label: string;
  /** What the address says. */
  value: string;
  onChange(value: string): void;
  className?: string | undefined;
  ref?: Ref<HTMLInputElement>;
}

/** A searchbox that filters with Enter, for what costs too much to be asked at every letter; emptied, it does so at once. */
export function EnteredFilter({ label, value, onChange, className, ref }: EnteredFilterProps) {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // The address changed by another way: Back, or a button that removes the filter.
  if (value !== before) {
    setBefore(value);
    setText(value);
  }
  return (
    <TextField
      ref={ref}
      type="search"
      enterKeyHint="search"
      label={label}
      className={className}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        if (target.value === '' && value !== '') onChange('');
      }}
      onKeyDown={(event) => event.key === 'Enter' && text !== value && onChange(text)}
    />
  );
}
