import type { EvalRunSummary } from '@spandrel/contract';
import { formatInterval, formatScore, shownScore } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import type { ChartData, ColourToken } from '../../components/chart-series.js';
import { SelectField } from '../../components/field.js';
import { formatCost, formatDuration } from '../../components/format.js';
import { Time } from '../../components/time.js';
import { runAddress } from '../addresses.js';
import { FigureChart } from '../analytics/analytics-figure.js';
import { RunLink } from '../links.js';
import { DataTable } from '../statistics/data-table.js';
import styles from './run-list.module.css';

/** What the chart shows of a run, each the mean of its samples with its interval. */
const METRICS = {
  score: { name: 'Score', format: formatScore, of: shownScore },
  cost: { name: 'Cost a sample', format: formatCost, of: (run: EvalRunSummary) => run.sample_cost },
  latency: { name: 'Latency', format: formatDuration, of: (run: EvalRunSummary) => run.latency_ms },
} as const;

interface RunTrendProps {
  /** Newest first; those are left out that have no such number. */
  runs: readonly EvalRunSummary[];
  title?: string;
  /** Buttons beside its title, with which it also stands without runs, and shows those of any datasets. */
  actions?: ReactNode;
}

/** Runs over time, one behind the other as they were made. */
export function RunTrend({ runs, title, actions }: RunTrendProps) {
  const [metric, setMetric] = useState<keyof typeof METRICS>('score');
  const [isTable, setIsTable] = useState(false);
  const [cursor, setCursor] = useState<number | null>(null);
  const navigate = useNavigate();
  const { name, format, of } = METRICS[metric];
  const points = useMemo(
    () =>
      runs
        .toReversed()
        .flatMap((run) => ((of(run)?.mean ?? null) === null ? [] : [{ run, ...of(run)!, mean: of(run)!.mean! }])),
    [runs, of],
  );
  const chart = useMemo(() => chartOf(name, points), [name, points]);
  const filter = (pair: string): void => {
    const [key, value] = JSON.parse(pair) as [string, string];
    const search = { dataset_id: runs[0]!.dataset_id, [`metadata.${key}`]: value };
    void navigate({ to: '/evaluations', search: search as never });
  };
  if (runs.length === 0 && actions === undefined) return null;
  return (
    <figure aria-label={title ?? 'Trend'} className={styles.trend}>
      <figcaption className={styles.choices}>
        {title !== undefined && <strong>{title}</strong>}
        <SelectField
          label="Metric"
          value={metric}
          options={Object.entries(METRICS).map(([value, { name: label }]) => ({ value, label }))}
          onChange={({ currentTarget }) => setMetric(currentTarget.value as keyof typeof METRICS)}
        />
        {actions === undefined && (
          <SelectField
            label="Metadata"
            value=""
            options={[{ value: '', label: 'Any metadata' }, ...metadataOf(runs)]}
            onChange={({ currentTarget }) => filter(currentTarget.value)}
          />
        )}
        <Button icon="table" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Show as table
        </Button>
        {actions && <span>{actions}</span>}
      </figcaption>
      {points.length === 0 ? (
        <p>No completed run has this number.</p>
      ) : isTable ? (
        <DataTable
          caption="Trend"
          columns={['Run', 'Started', name, '95% interval']}
          rows={points
            .toReversed()
            .map(({ run, mean, ci }) => [
              run.id,
              <RunLink key="run" run={run} />,
              <Time key="at" at={run.created_at} />,
              format(mean),
              formatInterval(ci, format),
            ])}
        />
      ) : (
        <FigureChart
          figure={{ name, format, isWhole: false }}
          opens="the run at it"
          chart={chart}
          cursor={cursor !== null && cursor < points.length ? cursor : null}
          onCursor={setCursor}
          onOpen={(at) => void navigate({ to: runAddress(points[at]!.run.id) })}
        />
      )}
    </figure>
  );
}

interface Point {
  run: EvalRunSummary;
  mean: number;
  ci: { low: number; high: number } | null;
}

/** Beside the first and the last run the chart has this part of the time between them, at least a minute. */
const MARGIN = { share: 1 / 20, msMin: 60_000 };

function chartOf(label: string, points: readonly Point[]): ChartData {
  const times = points.map(({ run }) => Date.parse(run.created_at));
  const widthMs = Math.max(MARGIN.msMin, ((times.at(-1) ?? 0) - (times[0] ?? 0)) * MARGIN.share);
  const bound = { colour: '--text-2' as ColourToken, dash: [3, 3] };
  return {
    ...{ starts: times.map((at) => at - widthMs / 2), widthMs, form: 'lines' },
    series: [
      { label, colour: '--accent', values: points.map(({ mean }) => mean) },
      { label: 'Interval from', ...bound, values: points.map(({ ci }) => ci?.low ?? null) },
      { label: 'to', ...bound, values: points.map(({ ci }) => ci?.high ?? null) },
    ],
  };
}

/** Texts that runs were started with, each as a choice. */
function metadataOf(runs: readonly EvalRunSummary[]): { value: string; label: string }[] {
  const pairs = runs.flatMap(({ metadata }) => Object.entries(metadata));
  return [...new Map(pairs.map((pair) => [JSON.stringify(pair), `${pair[0]} = ${pair[1]}`]))]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}
