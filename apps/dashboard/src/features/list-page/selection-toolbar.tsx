import type { ReactNode } from 'react';
import { formatCount } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import styles from './listed-grid.module.css';

export interface SelectionToolbarProps {
  /** Rows that are selected; without any there is no toolbar. */
  count: number;
  onClear(): void;
  /** What can be done with them. */
  children: ReactNode;
}

/** The toolbar of what is selected in a list. */
export function SelectionToolbar({ count, onClear, children }: SelectionToolbarProps) {
  if (count === 0) return null;
  return (
    <div role="toolbar" aria-label="Selection" className={styles.selection}>
      <span>{formatCount(count)} selected</span>
      {children}
      <Button onClick={onClear}>Clear selection</Button>
    </div>
  );
}
