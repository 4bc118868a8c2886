import type { BucketWidth } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useId, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import type { ChartData, ChartSeries } from '../../components/chart-series.js';
import { costDigits, formatColumnCost, formatTime, zoneName } from '../../components/format.js';
import { QueryFault } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { draftOfFigure } from '../alerts/alert-form.js';
import { CreateAlert } from '../alerts/create-alert.js';
import { countedAddress, keyAddress, withRange, type AnalyticsSearch } from './analytics-search.js';
import { FIGURES, queryOf, seriesOf, shownKeys, type Figure, type FigureName } from './figures.js';
import { WIDTH_MS } from './plan-question.js';
import { useSeries, type Series } from './use-series.js';
import styles from './analytics-figure.module.css';
import { lazyPart } from '../../components/lazy-part.js';

/** uPlot comes with the first figure that is drawn. */
const TimeChart = lazyPart(async () => (await import('../../components/time-chart.js')).TimeChart);

/** A cursor that several figures of one query share. */
interface SharedCursor {
  bucket: number | null;
  onBucket(bucket: number | null): void;
}

export interface AnalyticsFigureProps {
  figure: FigureName;
  query: AnalyticsSearch;
  /** What it is called; its name where it is left out. */
  title?: string;
  /** Left out: the figure has a cursor of its own. */
  cursor?: SharedCursor;
  /** Takes the query of the range that was marked; left out: the page Analytics shows it. */
  onZoom?(query: AnalyticsSearch): void;
  /** Buttons beside its name. */
  actions?: ReactNode;
}

/**
 * One figure of analytics by its name and query alone, whatever page it stands on: a chart that takes keys, or the same as
 * a table, which lead to the spans behind it. Waiting, nothing and faults stand in its place.
 */
export function AnalyticsFigure({ figure: name, title = name, query, cursor, onZoom, actions }: AnalyticsFigureProps) {
  const figure = FIGURES.find((one) => one.name === name)!;
  const series = useSeries(queryOf(figure, query));
  const own = useState<number | null>(null);
  const navigate = useNavigate();
  const zoom = onZoom ?? ((next: AnalyticsSearch) => void navigate({ to: '/analytics', search: next }));
  const { data } = series;
  const [bucket, onCursor] = cursor === undefined ? own : [cursor.bucket, cursor.onBucket];
  const drawn = useMemo(() => data && chartOf(figure, data), [figure, data]);
  const props = { figure, cursor: drawn && bucket !== null && bucket < drawn.starts.length ? bucket : null };
  const isEmpty = !drawn || !data || drawn.starts.length === 0;
  return (
    <FigureFrame
      title={title}
      actions={
        <>
          {actions}
          <CreateAlert draft={draftOfFigure(name, query)} />
        </>
      }
      legend={
        drawn && data ? (
          <Legend
            {...{ ...drawn, name, format: figure.format, cursor: props.cursor }}
            addressOf={(key) => keyAddress(data.query, key, data.range)}
          />
        ) : (
          <span />
        )
      }
      fault={<QueryFault title={`${title} could not be loaded`} query={series} />}
      table={isEmpty ? null : <FigureTable figure={figure} chart={drawn} data={data} />}
    >
      {isEmpty ? (
        <p className={styles.chart}>{data !== undefined && 'Nothing was recorded in this range.'}</p>
      ) : (
        <FigureChart
          {...props}
          chart={drawn}
          onCursor={onCursor}
          onOpen={(at) => void navigate({ to: addressOfBucket(data, at, figure) })}
          onZoom={(first, last) => {
            onCursor(null);
            zoom(withRange(query, rangeOfBuckets(data, first, last)));
          }}
        />
      )}
    </FigureFrame>
  );
}

interface FigureFrameProps {
  title: string;
  legend: ReactNode;
  actions?: ReactNode;
  fault?: ReactNode;
  /** What the chart shows, as a table; `null` where there is nothing. */
  table: ReactNode;
  children: ReactNode;
}

/** A figure under its name: its chart, or a table of the values. */
export function FigureFrame({ title, legend, actions, fault, table, children }: FigureFrameProps) {
  const [isTable, setIsTable] = useState(false);
  const captionId = useId();
  return (
    <figure aria-labelledby={captionId} className={styles.figure}>
      <figcaption className={styles.caption}>
        <span id={captionId} className={styles.title} dir="auto">
          {title}
        </span>
        {legend}
        <span className={styles.actions}>
          {actions}
          <Button variant="quiet" icon="table" iconOnly aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            Show {title} as table
          </Button>
        </span>
      </figcaption>
      {fault}
      {isTable && table !== null ? table : children}
    </figure>
  );
}

const chartOf = (figure: Figure, { buckets, width, query, totals }: Series): ChartData => ({
  starts: buckets.map(({ timestamp }) => Date.parse(timestamp)),
  widthMs: WIDTH_MS[width],
  form: figure.form,
  series: seriesOf(figure, buckets, query.split_by ? shownKeys(totals.series ?? [], query.split_by) : null),
});

/** Address of a bucket's spans. @param figure those first that it is about. */
const addressOfBucket = (data: Series, bucket: number, figure?: Figure): string =>
  countedAddress(data.query, { ...rangeOfBuckets(data, bucket, bucket), ...figure?.spans });

interface ChartProps {
  figure: Pick<Figure, 'format' | 'isWhole'> & { name: string };
  /** What Enter opens. */
  opens?: string;
  chart: ChartData;
  cursor: number | null;
  onCursor(bucket: number): void;
  onOpen(bucket: number): void;
  onZoom?(first: number, last: number): void;
}

/** A chart that takes keys, and says what is at its cursor. */
export function FigureChart({
  figure,
  opens = 'the spans below it',
  chart,
  cursor,
  onCursor,
  onOpen,
  onZoom = () => undefined,
}: ChartProps) {
  const { times } = usePreferences();
  const keys = useChartKeys({ length: chart.starts.length, cursor, onCursor, onOpen, onZoom });
  const start = cursor === null ? undefined : chart.starts[cursor];
  const spoken = start === undefined ? '' : `${formatTime(start, times)}: ${inWords(figure, chart.series, cursor!)}`;
  return (
    <div
      role="application"
      aria-label={`${figure.name} over time. Arrow keys move the cursor, Enter opens ${opens}, Shift with arrow keys selects a range, and Enter zooms in.`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application takes keys
      tabIndex={0}
      className={styles.chart}
      {...keys.handlers}
    >
      <TimeChart
        data={chart}
        zone={times}
        format={figure.format}
        isWhole={figure.isWhole}
        {...{ cursor, onCursor, onOpen, onZoom }}
        mark={keys.mark}
      />
      <p className="visually-hidden" aria-live="polite">
        {keys.isUsed && spoken}
      </p>
    </div>
  );
}

function inWords(figure: ChartProps['figure'], series: readonly ChartSeries[], at: number): string {
  if (series.length === 1) return figure.format(series[0]!.values[at] ?? null);
  const shown = series.filter(({ values }) => (values[at] ?? 0) !== 0);
  if (shown.length === 0) return 'nothing';
  return shown.map(({ label, values }) => `${label} ${figure.format(values[at] ?? null)}`).join(', ');
}

interface LegendProps extends Pick<ChartProps, 'cursor'>, Pick<ChartData, 'form' | 'series'> {
  name: string;
  format(value: number | null): string;
  /** Where a key of a split leads. */
  addressOf?(key: string): string;
  children?: ReactNode;
}

/** What the colours of a chart stand for, with the values at its cursor. */
export function Legend({ name, form, series, cursor, format, addressOf, children }: LegendProps) {
  return (
    <ul className={styles.legend} aria-label={`Legend of ${name}`}>
      {series.map(({ label, key, colour, values, dash }) => (
        <li key={label}>
          {(series.length > 1 || form === 'lines') && (
            <span
              className={styles.swatch}
              data-line={form === 'lines'}
              data-dashed={dash !== undefined}
              style={{ color: `var(${colour})` }}
              aria-hidden="true"
            />
          )}
          {(series.length > 1 || label !== name) && (
            <bdi className={styles.label} title={label}>
              {key == null || !addressOf ? label : <Link to={addressOf(key)}>{label}</Link>}
            </bdi>
          )}
          <span className={styles.value}>{cursor !== null && format(values[cursor] ?? null)}</span>
        </li>
      ))}
      {children && <li>{children}</li>}
    </ul>
  );
}

/** Rows that a table has; more are not read but exported. */
const ROWS_MAX = 1_000;

function FigureTable({ figure, chart, data }: Pick<ChartProps, 'chart'> & { figure: Figure; data: Series }) {
  const { times } = usePreferences();
  const { buckets } = data;
  const filled = buckets.flatMap(({ span_count: spans }, at) => (spans > 0 ? [at] : []));
  const rows = filled.slice(-ROWS_MAX);
  const whole = data.query.split_by ? [{ label: 'All', values: buckets.map(figure.valueOf) }] : [];
  const columns = [...whole, ...chart.series];
  const digits = costDigits(columns.flatMap(({ values }) => values));
  const format =
    figure.name === 'Cost' ? (cost: number | null): string => formatColumnCost(cost, digits) : figure.format;
  return (
    <>
      {rows.length < filled.length && (
        <p className="small">
          The newest {formatCount(rows.length)} of {formatCount(filled.length)} buckets; zoom in to see others.
        </p>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a table longer than its place is scrolled by keys */}
      <div className={styles.tablePlace} tabIndex={0} role="group" aria-label={`${figure.name}, as a table`}>
        <table className={styles.table} aria-label={figure.name}>
          <thead>
            <tr>
              <th scope="col">From ({zoneName(chart.starts.at(-1) ?? Date.now(), times)})</th>
              {columns.map(({ label }) => (
                <th key={label} scope="col">
                  <bdi title={label}>{label}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((at) => (
              <tr key={chart.starts[at]}>
                <th scope="row">
                  <Link to={addressOfBucket(data, at, figure)}>
                    {formatTime(chart.starts[at]!, times).slice(0, 16)}
                  </Link>
                </th>
                {columns.map(({ label, values }) => (
                  <td key={label} title={figure.formatExactly(values[at] ?? null)}>
                    {format(values[at] ?? null)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
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
export function BucketLine({ data, bucket }: { data: Series; bucket: number | null }) {
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
      <Link to={addressOfBucket(data, bucket)}>
        {formatCounted(data.buckets[bucket]!.span_count, 'span')} of this {data.width}
      </Link>
    </p>
  );
}

/** The ends of some buckets, those that the range cuts included. @param last is one of them. */
function rangeOfBuckets(
  { buckets, width, range }: Series,
  first: number,
  last: number,
): { since: string; until: string } {
  const start = Date.parse(buckets[first]!.timestamp);
  const end = Date.parse(buckets[last]!.timestamp) + WIDTH_MS[width];
  const { since, until } = range;
  return {
    since: new Date(since === undefined ? start : Math.max(start, Date.parse(since))).toISOString(),
    until: new Date(until === undefined ? end : Math.min(end, Date.parse(until))).toISOString(),
  };
}

interface ChartKeysOptions extends Pick<ChartProps, 'cursor' | 'onCursor' | 'onOpen' | 'onZoom'> {
  length: number;
}

/** The keys of a chart: arrows, Home and End move the cursor, with Shift they mark, Enter opens or zooms, Escape unmarks. */
function useChartKeys({ length, cursor, onCursor, onOpen, onZoom }: ChartKeysOptions) {
  const [anchor, setAnchor] = useState<number | null>(null);
  const [isUsed, setIsUsed] = useState(false);
  const mark =
    anchor === null || cursor === null ? null : ([Math.min(anchor, cursor), Math.max(anchor, cursor)] as const);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = destination(event.key, cursor, length);
    if (next !== undefined) {
      event.preventDefault();
      setIsUsed(true);
      setAnchor(event.shiftKey ? (anchor ?? cursor ?? next) : null);
      onCursor(next);
    } else if (event.key === 'Enter' && cursor !== null) {
      event.preventDefault();
      if (mark === null) onOpen(cursor);
      else onZoom?.(...mark);
      setAnchor(null);
    } else if (event.key === 'Escape' && anchor !== null) {
      event.stopPropagation();
      setAnchor(null);
    }
  };
  const onBlur = (): void => {
    setIsUsed(false);
    setAnchor(null);
  };
  return { handlers: { onKeyDown, onBlur }, mark, isUsed };
}

/** Where a key leads; the first one comes to the newest bucket. */
function destination(key: string, cursor: number | null, length: number): number | undefined {
  if (length === 0) return undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step === undefined) return undefined;
  return cursor === null ? length - 1 : Math.min(Math.max(cursor + step, 0), length - 1);
}
