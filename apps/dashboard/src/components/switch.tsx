import type { ReactNode } from 'react';
import styles from './switch.module.css';

export interface SwitchProps {
  label: ReactNode;
  isLabelHidden?: boolean;
  isOn: boolean;
  isDisabled?: boolean;
  onChange(isOn: boolean): void;
}

/** Something that is on or off, and changes at once. */
export function Switch({ label, isLabelHidden = false, isOn, isDisabled = false, onChange }: SwitchProps) {
  return (
    <label className={styles.switch}>
      <span className={isLabelHidden ? 'visually-hidden' : undefined}>{label}</span>
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
    </label>
  );
}
