import { formatInterval, type Bounds } from '@spandrel/contract/browser';
import type { Scale } from './bar-scale.js';
import { ErrorBar } from './error-bar.js';
import styles from './error-bar.module.css';

interface IntervalCellProps {
  value: number | null;
  ci: Bounds | null;
  scale?: Scale | null;
  format?: (value: number) => string;
}

/** A cell with an interval as words and as a bar; the value itself has a cell of its own. */
export function IntervalCell({ value, ci, scale, format }: IntervalCellProps) {
  return (
    <td data-align="start">
      <span className={styles.with}>
        {value !== null && ci !== null && scale !== null && (
          <ErrorBar value={value} ci={ci} {...(scale && { scale })} />
        )}
        <span>{formatInterval(ci, format)}</span>
      </span>
    </td>
  );
}
