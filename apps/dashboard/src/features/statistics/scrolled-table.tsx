import type { ReactNode } from 'react';
import styles from './table.module.css';

interface ScrolledTableProps {
  caption: string;
  /** Whether the caption is for screen readers alone. */
  isCaptionHidden?: boolean;
  /** Headers of its columns; those in `starts` begin where texts do. */
  columns: readonly string[];
  starts?: readonly string[];
  /** Rows, each a `tr`. */
  children: ReactNode;
}

/** A small table of numbers, which scrolls sideways in a narrow window. */
export function ScrolledTable({
  caption,
  isCaptionHidden = false,
  columns,
  starts = [],
  children,
}: ScrolledTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a table wider than its place is scrolled by keys
    <div className={styles.place} tabIndex={0} role="group" aria-label={`${caption}, as a table`}>
      <table className={styles.table}>
        <caption className={isCaptionHidden ? 'visually-hidden' : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" data-align={starts.includes(column) ? 'start' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
