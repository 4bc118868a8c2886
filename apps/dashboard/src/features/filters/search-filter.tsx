import { useEffect, useRef, useState, type Ref } from 'react';
import { TextField } from '../../components/field.js';

const PAUSE_MS = 200;
/** An address that was passed over comes no later than this. */
const LATE_MS = 2_000;

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
  // What was sent and the address does not say yet, the last one last.
  const [awaited, setAwaited] = useState<readonly string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const forget = setTimeout(() => awaited.at(-1) === value && setAwaited([]), LATE_MS);
    return () => clearTimeout(forget);
  }, [awaited, value]);
  if (value !== before) {
    setBefore(value);
    const place = awaited.lastIndexOf(value);
    setAwaited(place < 0 ? [] : awaited.slice(place + 1));
    // The address changed by another way: Back, or a button that removes the filter. What was typed here may have grown since.
    if (place < 0) setText(value);
  }
  const send = (typed: string): void => {
    setAwaited((earlier) => [...earlier, typed]);
    onChange(typed);
  };
  const isOn = (typed: string): boolean => typed === value && typed === (awaited.at(-1) ?? value);
  const type = (typed: string): void => {
    setText(typed);
    clearTimeout(timer.current);
    if (!isEntered) timer.current = setTimeout(() => send(typed), PAUSE_MS);
    else if (typed === '' && !isOn('')) send('');
  };
  const enter = (): void => {
    clearTimeout(timer.current);
    if (!isOn(text)) send(text);
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
