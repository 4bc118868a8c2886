import { bucketsOf, formatCounted, formatCount, type StatusBucket } from '@spandrel/contract/browser';
import type { TracesOverTime as WireBuckets } from '@spandrel/contract';
import { useMemo, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { ListSearch } from '../../features/filters/list-search.js';
import { endsOf, type TimeRange } from '../../features/filters/time-range.js';
import { formatTime } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import type { ListedTraces } from './use-trace-list.js';
import styles from './traces-over-time.module.css';

export interface ShownBucketsProps {
  listed: ListedTraces;
  search: ListSearch;
  isTable: boolean;
  onRange(range: TimeRange): void;
}

/** Counts of the listed traces by time, as bars or as a table. */
export function ShownBuckets({ listed, search, onRange, isTable }: ShownBucketsProps) {
  const buckets = useBuckets(listed, search);
  return isTable ? <BucketTable buckets={buckets} /> : <TimeBars buckets={buckets} onRange={onRange} />;
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

interface Mark {
  anchor: number;
  at: number;
}

const HEIGHT = 48;
const BAR = 0.8;

/** Bars by status. Dragging, or Shift with the arrow keys, marks a range; letting go sets it. */
function TimeBars(props: { buckets: readonly StatusBucket[]; onRange(range: TimeRange): void }) {
  const { buckets, onRange } = props;
  const { times } = usePreferences();
  const [mark, setMark] = useState<Mark | null>(null);
  const most = buckets.reduce((max, bucket) => Math.max(max, totalOf(bucket)), 1);
  const apply = (marked: Mark | null): void => {
    setMark(null);
    if (marked === null) return;
    const first = buckets[Math.min(marked.anchor, marked.at)];
    const last = buckets[Math.max(marked.anchor, marked.at)];
    if (first && last) onRange({ since: new Date(first.from).toISOString(), until: new Date(last.to).toISOString() });
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape' && mark !== null) {
      event.stopPropagation();
      setMark(null);
    } else if (event.key === 'Enter') {
      apply(mark);
    } else if (step !== undefined && buckets.length > 0) {
      event.preventDefault();
      const at = mark === null ? buckets.length - 1 : Math.min(Math.max(mark.at + step, 0), buckets.length - 1);
      setMark({ at, anchor: event.shiftKey && mark !== null ? mark.anchor : at });
    }
  };
  const bucketAt = (event: PointerEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * buckets.length);
    return Math.min(Math.max(at, 0), buckets.length - 1);
  };
  return (
    <>
      <svg
        role="application"
        aria-label="Bars of traces over time. Arrow keys go from bar to bar, with Shift they mark a range, Enter sets it."
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application takes keys
        tabIndex={0}
        className={styles.bars}
        viewBox={`0 0 ${Math.max(buckets.length, 1)} ${HEIGHT}`}
        preserveAspectRatio="none"
        onKeyDown={press}
        onKeyUp={({ key }) => key === 'Shift' && mark !== null && mark.at !== mark.anchor && apply(mark)}
        onBlur={() => setMark(null)}
        onPointerDown={(event) => {
          if (buckets.length === 0 || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setMark({ anchor: bucketAt(event), at: bucketAt(event) });
        }}
        onPointerMove={(event) => event.buttons === 1 && mark && setMark({ ...mark, at: bucketAt(event) })}
        onPointerUp={() => apply(mark)}
        onPointerCancel={() => setMark(null)}
      >
        {mark && (
          <rect
            className={styles.mark}
            x={Math.min(mark.anchor, mark.at)}
            y={0}
            width={Math.abs(mark.at - mark.anchor) + 1}
            height={HEIGHT}
          />
        )}
        {buckets.map((bucket, at) => (
          <Bar key={bucket.from} bucket={bucket} x={at + (1 - BAR) / 2} most={most} />
        ))}
      </svg>
      <p className={styles.axis} aria-hidden="true">
        {[buckets[0]?.from, buckets.at(-1)?.to].map((at, end) => (
          <span key={end === 0 ? 'from' : 'to'}>{at !== undefined && formatTime(at, times)}</span>
        ))}
      </p>
      <p className="visually-hidden" aria-live="polite">
        {mark !== null && describe(buckets[mark.at]!, (ms) => formatTime(ms, times))}
      </p>
    </>
  );
}

function Bar({ bucket, x, most }: { bucket: StatusBucket; x: number; most: number }) {
  let top = HEIGHT;
  return (['completed', 'failed', 'running'] as const).map((status) => {
    const height = (bucket[status] / most) * HEIGHT;
    top -= height;
    return height === 0 ? null : (
      <rect key={status} className={styles.bar} data-status={status} x={x} y={top} width={BAR} height={height} />
    );
  });
}

function describe(bucket: StatusBucket, format: (ms: number) => string): string {
  const { failed, running } = bucket;
  const parts = [`${format(bucket.from)}: ${formatCounted(totalOf(bucket), 'trace')}`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (running > 0) parts.push(`${running} running`);
  return parts.join(', ');
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
            <th scope="col">From</th>
            <th scope="col">Completed</th>
            <th scope="col">Failed</th>
            <th scope="col">Running</th>
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

const totalOf = ({ running, completed, failed }: StatusBucket): number => running + completed + failed;
