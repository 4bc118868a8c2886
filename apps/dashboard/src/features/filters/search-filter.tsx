import { useEffect, useRef, useState, type Ref } from 'react';
import { TextField } from '../../components/field.js';

const PAUSE_MS = 200;

interface SearchFilterProps {
  label: string;
  value: string;
  /** Whether Enter alone filters, for what costs too much to be asked at every letter; emptied, it does so at once. */
  isEntered: boolean;
  onChange(value: string): void;
  className?: string | undefined;
  ref?: Ref<HTMLInputElement>;
}

/** A searchbox that filters while one types, or with Enter. */
export function SearchFilter({ label, value, isEntered, onChange, className, ref }: SearchFilterProps) {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  const [sent, setSent] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (value !== before) {
    setBefore(value);
    setSent(value);
    // The address changed by another way: Back, or a button that removes the filter. What was typed here may have grown since.
    if (value !== sent) setText(value);
  }
  const send = (typed: string): void => {
    setSent(typed);
    onChange(typed);
  };
  const type = (typed: string): void => {
    setText(typed);
    clearTimeout(timer.current);
    if (!isEntered) timer.current = setTimeout(() => send(typed), PAUSE_MS);
    else if (typed === '' && value !== '') send('');
  };
  const enter = (): void => {
    clearTimeout(timer.current);
    if (text !== value) send(text);
  };
  return (
    <TextField
      ref={ref}
      type="search"
      {...(isEntered && { enterKeyHint: 'search' })}
      label={label}
      className={className}
      value={text}
      onChange={({ target }) => type(target.value)}
      onKeyDown={(event) => event.key === 'Enter' && enter()}
    />
  );
}
