import { bucketsOf, type StatusBucket } from '@spandrel/contract/browser';
import type { TracesOverTime as WireBuckets } from '@spandrel/contract';
import { useId, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { formatCount } from '../../components/format/format-count.js';
import { formatTime } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import type { ListSearch } from '../../features/filters/list-search.js';
import { endsOf, type TimeRange } from '../../features/time-range/time-range.js';
import { TimeBars } from './time-bars.js';
import { totalOf } from './bucket-total.js';
import type { ListedTraces } from './use-trace-list.js';
import styles from './traces-over-time.module.css';

export interface TracesOverTimeProps {
  listed: ListedTraces;
  search: ListSearch;
  onRange(range: TimeRange): void;
}

/** When the listed traces began, as bars by status or as a table. */
export function TracesOverTime({ listed, search, onRange }: TracesOverTimeProps) {
  const [isTable, setIsTable] = useState(false);
  const captionId = useId();
  const buckets = useBuckets(listed, search);
  const { overTime, list } = listed;
  return (
    <figure aria-labelledby={captionId} className={styles.figure}>
      <figcaption className={styles.caption}>
        <span id={captionId}>Traces over time</span>
        {!list.isComplete && overTime?.exact === false && (
          <span className={styles.note}>the newest {formatCount(overTime.count)}</span>
        )}
        <Legend />
        <Button variant="quiet" icon="table" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Show as table
        </Button>
      </figcaption>
      {isTable ? <BucketTable buckets={buckets} /> : <TimeBars buckets={buckets} onRange={onRange} />}
    </figure>
  );
}

/** A list that was read to its end is counted here, so that what arrives is in the bars with its row. */
function useBuckets({ list, overTime }: ListedTraces, { range, since, until }: ListSearch): readonly StatusBucket[] {
  const { isComplete, readRows } = list;
  return useMemo(() => {
    if (!isComplete) return (overTime?.buckets ?? []).map(bucketOfWire);
    const ends = endsOf({ ...(range && { range }), ...(since && { since }), ...(until && { until }) }, Date.now());
    const times = readRows.map(({ started_at, status }) => ({ at: Date.parse(started_at), status }));
    return bucketsOf(times, {
      ...(ends.since && { from: Date.parse(ends.since) }),
      ...(ends.until && { to: Date.parse(ends.until) }),
    });
  }, [isComplete, readRows, overTime, range, since, until]);
}

function bucketOfWire({ since, until, ...counts }: WireBuckets['buckets'][number]): StatusBucket {
  return { from: Date.parse(since), to: Date.parse(until), ...counts };
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

function BucketTable({ buckets }: { buckets: readonly StatusBucket[] }) {
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
