import { bucketsOf, type StatusBucket } from '@spandrel/contract/browser';
import type { TracesOverTime as WireBuckets } from '@spandrel/contract';
import { useMemo } from 'react';
import type { ListSearch } from '../../features/filters/list-search.js';
import { endsOf, type TimeRange } from '../../features/time-range/time-range.js';
import { BucketTable } from './bucket-table.js';
import { TimeBars } from './time-bars.js';
import type { ListedTraces } from './use-trace-list.js';

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
