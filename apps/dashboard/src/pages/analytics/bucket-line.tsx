import { Link } from '@tanstack/react-router';
import { formatCounted } from '../../components/format/format-count.js';
import { formatTime, zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import type { Analytics } from './use-analytics.js';
import styles from './analytics-page.module.css';

export interface BucketLineProps {
  data: Analytics;
  bucket: number | null;
  addressOf(bucket: number): string;
}

/** The bucket of the cursor and the way to its spans, or how one comes to it. */
export function BucketLine({ data, bucket, addressOf }: BucketLineProps) {
  const { times } = usePreferences();
  if (bucket === null) {
    return (
      <p className={styles.bucket}>
        Each bar is {data.width === 'hour' ? 'an' : 'a'} {data.width}. Point at one to read it, drag to zoom; times are{' '}
        {times === 'utc' ? 'UTC' : `local (${zoneName(Date.now(), times)})`}.
      </p>
    );
  }
  const { timestamp, span_count: spans } = data.buckets[bucket]!;
  return (
    <p className={styles.bucket}>
      <strong>{formatTime(Date.parse(timestamp), times).slice(0, 16)}</strong>{' '}
      <Link to={addressOf(bucket)}>
        {formatCounted(spans, 'span')} of this {data.width}
      </Link>
    </p>
  );
}
