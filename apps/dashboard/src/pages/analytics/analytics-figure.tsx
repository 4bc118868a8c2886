import { lazy, Suspense, useId, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import type { ChartData, ChartSeries } from '../../components/chart/chart-series.js';
import { formatTime } from '../../components/format/format-time.js';
import { useLatest } from '../../components/use-latest.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { FigureTable } from './figure-table.js';
import { seriesOf, type Figure, type ShownKey } from './figures.js';
import { WIDTH_MS } from './plan-question.js';
import type { Analytics } from './use-analytics.js';
import { useChartKeys } from './use-chart-keys.js';
import styles from './analytics-figure.module.css';

/** uPlot comes with the first figure that is drawn. */
const TimeChart = lazy(() =>
  import('../../components/chart/time-chart.js').then(({ TimeChart: chart }) => ({ default: chart })),
);

export interface AnalyticsFigureProps {
  figure: Figure;
  data: Analytics;
  /** Keys of the split; `null` where nothing is split. */
  shown: readonly ShownKey[] | null;
  cursor: number | null;
  onCursor(bucket: number): void;
  onOpen(bucket: number, figure: Figure): void;
  onZoom(first: number, last: number): void;
  /** Address of a bucket's spans, those first that the figure is about. */
  addressOf(bucket: number, figure: Figure): string;
}

/** One figure: a chart that takes keys, or the same as a table. */
export function AnalyticsFigure(props: AnalyticsFigureProps) {
  const { figure, data, shown, cursor, onCursor, onZoom } = props;
  const onOpen = useLatest((bucket: number) => props.onOpen(bucket, figure));
  const addressOf = (bucket: number): string => props.addressOf(bucket, figure);
  const { times } = usePreferences();
  const [isTable, setIsTable] = useState(false);
  const captionId = useId();
  const chart = useMemo<ChartData>(
    () => ({
      starts: data.buckets.map(({ timestamp }) => Date.parse(timestamp)),
      widthMs: WIDTH_MS[data.width],
      form: figure.form,
      series: seriesOf(figure, data.buckets, shown),
    }),
    [data, figure, shown],
  );
  const keys = useChartKeys({ length: chart.starts.length, cursor, onCursor, onOpen, onZoom });
  const start = cursor === null ? undefined : chart.starts[cursor];
  const spoken = start === undefined ? '' : `${formatTime(start, times)}: ${inWords(figure, chart.series, cursor!)}`;
  return (
    <figure aria-labelledby={captionId} className={styles.figure}>
      <figcaption className={styles.caption}>
        <span id={captionId} className={styles.title}>
          {figure.name}
        </span>
        <Legend figure={figure} series={chart.series} cursor={cursor} />
        <Button variant="quiet" icon="table" iconOnly aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Show {figure.name} as table
        </Button>
      </figcaption>
      {isTable ? (
        <FigureTable {...{ figure, chart, addressOf }} buckets={data.buckets} isSplit={shown !== null} />
      ) : (
        <div
          role="application"
          aria-label={`${figure.name} over time. Arrow keys move the cursor, Enter opens the spans below it, Shift with arrow keys marks a range and Enter zooms in.`}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application takes keys
          tabIndex={0}
          className={styles.chart}
          {...keys.handlers}
        >
          <Suspense>
            <TimeChart
              data={chart}
              zone={times}
              format={figure.format}
              isWhole={figure.isWhole}
              {...{ cursor, onCursor, onOpen, onZoom }}
              mark={keys.mark}
            />
          </Suspense>
          <p className="visually-hidden" aria-live="polite">
            {keys.isUsed && spoken}
          </p>
        </div>
      )}
    </figure>
  );
}

/** What the bucket of the cursor has, without what is nothing. */
function inWords(figure: Figure, series: readonly ChartSeries[], at: number): string {
  if (series.length === 1) return figure.format(series[0]!.values[at] ?? null);
  const told = series.filter(({ values }) => (values[at] ?? 0) !== 0);
  if (told.length === 0) return 'nothing';
  return told.map(({ label, values }) => `${label} ${figure.format(values[at] ?? null)}`).join(', ');
}

/** What the colours stand for, and the values at the cursor. */
function Legend({
  figure,
  series,
  cursor,
}: Pick<AnalyticsFigureProps, 'figure' | 'cursor'> & Pick<ChartData, 'series'>) {
  return (
    <ul className={styles.legend} aria-label={`Legend of ${figure.name}`}>
      {series.map(({ label, colour, values, dash }) => (
        <li key={label}>
          {(series.length > 1 || figure.form === 'lines') && (
            <span
              className={styles.swatch}
              data-line={figure.form === 'lines'}
              data-dashed={dash !== undefined}
              style={{ color: `var(${colour})` }}
              aria-hidden="true"
            />
          )}
          {label !== figure.name && (
            <bdi className={styles.label} title={label}>
              {label}
            </bdi>
          )}
          <span className={styles.value}>{cursor !== null && figure.format(values[cursor] ?? null)}</span>
        </li>
      ))}
    </ul>
  );
}
