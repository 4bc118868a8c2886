import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useLatest } from '../../components/use-latest.js';
import { AnalyticsFigure } from './analytics-figure.js';
import { BucketLine } from './bucket-line.js';
import { FIGURES, shownKeys, type Figure } from './figures.js';
import { rangeOfBuckets } from './bucket-range.js';
import { spansAddress, type AnalyticsSearch } from './analytics-search.js';
import type { Analytics } from './use-analytics.js';
import styles from './analytics-page.module.css';

export interface AnalyticsFiguresProps {
  data: Analytics;
  onChange(search: AnalyticsSearch): void;
}

/** The figures, with one cursor through all of them. */
export function AnalyticsFigures({ data, onChange }: AnalyticsFiguresProps) {
  const { buckets, search } = data;
  const [cursor, setCursor] = useState<number | null>(null);
  const at = cursor !== null && cursor < buckets.length ? cursor : null;
  const split = search.split_by;
  const shown = useMemo(() => (split ? shownKeys(buckets, split) : null), [buckets, split]);
  const navigate = useNavigate();
  const addressOf = useCallback(
    (bucket: number, figure?: Figure) =>
      spansAddress({ ...rangeOfBuckets(data, bucket, bucket), model: data.search.model, ...figure?.spans }),
    [data],
  );
  const open = useLatest((bucket: number, figure: Figure) => void navigate({ to: addressOf(bucket, figure) }));
  const zoom = useLatest((first: number, last: number) => {
    const { range: _range, since: _since, until: _until, ...rest } = search;
    setCursor(null);
    onChange({ ...rest, ...rangeOfBuckets(data, first, last) });
  });
  return (
    <>
      <BucketLine data={data} bucket={at} addressOf={addressOf} />
      <div className={styles.figures}>
        {FIGURES.map((figure) => (
          <AnalyticsFigure
            key={figure.name}
            {...{ figure, data, shown, onOpen: open }}
            addressOf={addressOf}
            cursor={at}
            onCursor={setCursor}
            onZoom={zoom}
          />
        ))}
      </div>
    </>
  );
}
