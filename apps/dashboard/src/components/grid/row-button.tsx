import type { ReactNode } from 'react';
import { Button } from '../button.js';
import styles from './row-button.module.css';

/** A button of a row that changes something, named for what it does and to which: `Edit <name>`. */
export function RowButton({ word, name, onClick }: { word: string; name: string; onClick(): void }) {
  return (
    <Button writes className={styles.button} aria-label={`${word} ${name}`} onClick={onClick}>
      {word}
    </Button>
  );
}

/** The buttons of a row, beside each other. */
export const RowButtons = ({ children }: { children: ReactNode }) => <span className={styles.buttons}>{children}</span>;
