import { useId, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { formatCount } from '../../components/format/format-count.js';
import { formatTime } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { endsOf, type TimeRange } from '../../features/time-range/time-range.js';
import { bucketsOf, totalOf, type TimeBucket } from './time-buckets.js';
import { TimeBars } from './time-bars.js';
import type { TracesSearch } from './traces-search.js';
import type { ListedTraces } from './use-trace-list.js';
import styles from './traces-over-time.module.css';

export interface TracesOverTimeProps {
  listed: ListedTraces;
  search: TracesSearch;
  onRange(range: TimeRange): void;
}

/** When the listed traces began, as bars by status or as a table. */
export function TracesOverTime({ listed: { list }, search, onRange }: TracesOverTimeProps) {
  const [isTable, setIsTable] = useState(false);
  const captionId = useId();
  const { since, until } = search;
  const range = search.range;
  const traces = list.readRows;
  const buckets = useMemo(() => {
    const ends = endsOf({ ...(range && { range }), ...(since && { since }), ...(until && { until }) }, Date.now());
    return bucketsOf(traces, {
      // The oldest trace that was read is not the oldest there is.
      ...(ends.since && list.isComplete && { from: Date.parse(ends.since) }),
      ...(ends.until && { to: Date.parse(ends.until) }),
    });
  }, [traces, range, since, until, list.isComplete]);
  return (
    <figure aria-labelledby={captionId} className={styles.figure}>
      <figcaption className={styles.caption}>
        <span id={captionId}>Traces over time</span>
        {!list.isComplete && <span className={styles.note}>the newest {formatCount(traces.length)}</span>}
        <Legend />
        <Button variant="quiet" icon="table" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Show as table
        </Button>
      </figcaption>
      {isTable ? <BucketTable buckets={buckets} /> : <TimeBars buckets={buckets} onRange={onRange} />}
    </figure>
  );
}

function Legend() {
  return (
    <ul className={styles.legend} aria-label="Legend">
      {(['completed', 'failed', 'running'] as const).map((status) => (
        <li key={status}>
          <span className={styles.swatch} data-status={status} aria-hidden="true" />
          {status[0]!.toUpperCase() + status.slice(1)}
        </li>
      ))}
    </ul>
  );
}

function BucketTable({ buckets }: { buckets: readonly TimeBucket[] }) {
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
