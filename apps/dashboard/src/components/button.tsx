import { createContext, useContext, type ButtonHTMLAttributes, type Ref, type ReactNode } from 'react';
import { capitalized } from './format.js';
import { Icon, type IconName } from './icon.js';
import styles from './button.module.css';
import rowButtonStyles from './grid/row-button.module.css';

/** Whether the reader may change something: a session without the scope `write` may not. */
export const MayWrite = createContext(true);

export const useMayWrite = (): boolean => useContext(MayWrite);

/** Whether the reader may claim and submit items: sessions with the scope `review` or `write`. */
export const MayReview = createContext(true);

export const useMayReview = (): boolean => useContext(MayReview);

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: IconName;
  /** The key that presses this button, shown on it, as a shortcut has it: `Esc`, `mod+s`. */
  shortcut?: string;
  /** Whether it changes something: it is not there for those who may only read. */
  writes?: boolean;
  /** Shows the icon alone; `children` stay the name. */
  iconOnly?: boolean;
  /** Shows the icon alone where the window is narrow. */
  shrinks?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button of the dashboard. Its children are its accessible name; the key that is shown is not part of it. */
export function Button({
  variant = 'plain',
  icon,
  shortcut,
  writes = false,
  iconOnly = false,
  shrinks = false,
  className,
  children,
  ref,
  ...rest
}: ButtonProps) {
  const mayWrite = useMayWrite();
  if (writes && !mayWrite) return null;
  return (
    <button
      type="button"
      ref={ref}
      className={[styles.button, className].filter(Boolean).join(' ')}
      data-variant={variant}
      data-icon-only={iconOnly || undefined}
      {...(iconOnly &&
        typeof children === 'string' && { title: shortcut ? `${children} (${shownKeys(shortcut)})` : children })}
      data-shrinks={shrinks || undefined}
      {...(shortcut !== undefined && { 'aria-keyshortcuts': ariaKeys(shortcut) })}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      <span className={iconOnly ? 'visually-hidden' : undefined}>{children}</span>
      {shortcut !== undefined && !iconOnly && <kbd aria-hidden="true">{shownKeys(shortcut)}</kbd>}
    </button>
  );
}

const shownKeys = (keys: string): string =>
  keys.startsWith('mod+') ? `Ctrl ${capitalized(keys.slice('mod+'.length))}` : keys;

function ariaKeys(keys: string): string {
  if (!keys.startsWith('mod+')) return keys;
  const key = capitalized(keys.slice('mod+'.length));
  return `Control+${key} Meta+${key}`;
}

/** A button of a row that changes something, named for what it does and to which: `Edit <name>`. */
export function RowButton({ word, name, onClick }: { word: string; name: string; onClick(): void }) {
  return (
    <Button writes className={rowButtonStyles.button} aria-label={`${word} ${name}`} onClick={onClick}>
      {word}
    </Button>
  );
}

/** The buttons of a row, beside each other. */
export const RowButtons = ({ children }: { children: ReactNode }) => (
  <span className={rowButtonStyles.buttons}>{children}</span>
);
