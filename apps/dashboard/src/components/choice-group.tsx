import { useId, type ReactNode } from 'react';
import styles from './choice-group.module.css';

export interface ChoiceGroupProps<Value extends string> {
  label: string;
  choices: readonly { value: Value; label: ReactNode }[];
  value: Value;
  onChange(value: Value): void;
}

/** One of few, by the browser's own radio buttons: arrows choose. */
export function ChoiceGroup<Value extends string>({ label, choices, value, onChange }: ChoiceGroupProps<Value>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={styles.group}>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
