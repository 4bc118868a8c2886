import { formatCount } from '@spandrel/contract/browser';
import { useId, useState } from 'react';
import { capitalized } from '../../components/format.js';
import { Button } from '../../components/button.js';
import type { ShownBucketsProps } from './shown-buckets.js';
import styles from './traces-over-time.module.css';
import { lazyPart } from '../../components/lazy-part.js';

const AWAITED = <div className={styles.awaited} />;
const ShownBuckets = lazyPart(async () => (await import('./shown-buckets.js')).ShownBuckets, AWAITED);

/** When the listed traces began, as bars by status or as a table. */
export function TracesOverTime(props: Omit<ShownBucketsProps, 'isTable'>) {
  const [isTable, setIsTable] = useState(false);
  const captionId = useId();
  const { overTime, list } = props.listed;
  return (
    <figure aria-labelledby={captionId} className={styles.figure}>
      <figcaption className={styles.caption}>
        <span id={captionId}>Traces over time</span>
        {!list.isComplete && overTime?.exact === false && (
          <span className="quiet">the newest {formatCount(overTime.count)}</span>
        )}
        <Legend />
        <Button variant="quiet" icon="table" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Show as table
        </Button>
      </figcaption>
      {/* The rows come first. */}
      {list.isWaiting && list.length === 0 ? AWAITED : <ShownBuckets {...props} isTable={isTable} />}
    </figure>
  );
}

function Legend() {
  return (
    <ul className={styles.legend} aria-label="Legend">
      {(['completed', 'failed', 'running'] as const).map((status) => (
        <li key={status}>
          <span className={styles.swatch} data-status={status} aria-hidden="true" />
          {capitalized(status)}
        </li>
      ))}
    </ul>
  );
}
