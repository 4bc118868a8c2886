import type { StatusBucket } from '@spandrel/contract/browser';
import { formatCount } from '@spandrel/contract/browser';
import { formatTime } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { totalOf } from './bucket-total.js';
import styles from './traces-over-time.module.css';

/** Counts of every bucket that has a trace. */
export function BucketTable({ buckets }: { buckets: readonly StatusBucket[] }) {
  const { times } = usePreferences();
  const filled = buckets.filter((bucket) => totalOf(bucket) > 0);
  return (
    // A table longer than its place is scrolled by keys, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.tablePlace} tabIndex={0} role="group" aria-label="Traces over time, as a table">
      <table className={styles.table}>
        <thead>
          <tr>
            {['From', 'Completed', 'Failed', 'Running'].map((header) => (
              <th key={header} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filled.map((bucket) => (
            <tr key={bucket.from}>
              <th scope="row">{formatTime(bucket.from, times)}</th>
              <td>{formatCount(bucket.completed)}</td>
              <td>{formatCount(bucket.failed)}</td>
              <td>{formatCount(bucket.running)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
