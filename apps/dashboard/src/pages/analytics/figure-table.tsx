import type { TimeBucket } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import type { ChartData } from '../../components/chart/chart-series.js';
import { formatTime, zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { wholeOf, type Figure } from './figures.js';
import styles from './analytics-figure.module.css';

export interface FigureTableProps {
  figure: Figure;
  chart: ChartData;
  buckets: readonly TimeBucket[];
  isSplit: boolean;
  addressOf(bucket: number): string;
}

/** Rows that a table has; more are not read but exported. */
const ROWS_MAX = 1_000;

/** The values of a chart as text, oldest first, without buckets that have no spans. */
export function FigureTable({ figure, chart, buckets, isSplit, addressOf }: FigureTableProps) {
  const { times } = usePreferences();
  const filled = buckets.flatMap(({ span_count: spans }, at) => (spans > 0 ? [at] : []));
  const rows = filled.slice(-ROWS_MAX);
  const whole = isSplit ? [{ label: 'All', values: wholeOf(figure, buckets) }] : [];
  const columns = [...whole, ...chart.series];
  return (
    <>
      {rows.length < filled.length && (
        <p className={styles.note}>
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
                  <Link to={addressOf(at)}>{formatTime(chart.starts[at]!, times).slice(0, 16)}</Link>
                </th>
                {columns.map(({ label, values }) => (
                  <td key={label} title={figure.formatExactly(values[at] ?? null)}>
                    {figure.format(values[at] ?? null)}
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
