import type { BucketWidth } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { formatTime, zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { rangeOfBuckets } from './bucket-range.js';
import type { Analytics } from './use-analytics.js';
import styles from './analytics-page.module.css';

export interface BucketLineProps {
  data: Analytics;
  bucket: number | null;
  addressOf(bucket: number): string;
}

/** Days and weeks are those of UTC, whatever the times on screen are (docs/spec/analytics.md#buckets). */
const WIDTH_NAMES: Readonly<Record<BucketWidth, string>> = {
  minute: 'a minute',
  hour: 'an hour',
  day: 'a UTC day',
  week: 'a UTC week from Monday',
};
/** Characters of a time to its minute. */
const MINUTE_LENGTH = '2026-11-22 10:30'.length;

/** The bucket of the cursor and the way to its spans, or how one comes to it. */
export function BucketLine({ data, bucket, addressOf }: BucketLineProps) {
  const { times } = usePreferences();
  if (bucket === null) {
    return (
      <p className={styles.bucket}>
        Each bar is {WIDTH_NAMES[data.width]}. Point at one to read it, click for its spans, drag to zoom; times are{' '}
        {times === 'utc' ? 'UTC' : `local (${zoneName(Date.now(), times)})`}.
      </p>
    );
  }
  const { since, until } = rangeOfBuckets(data, bucket, bucket);
  const [start, end] = [since, until].map((at) => formatTime(Date.parse(at), times).slice(0, MINUTE_LENGTH));
  return (
    <p className={styles.bucket}>
      <strong>
        {start} to {end}
      </strong>{' '}
      <Link to={addressOf(bucket)}>
        {formatCounted(data.buckets[bucket]!.span_count, 'span')} of this {data.width}
      </Link>
    </p>
  );
}
