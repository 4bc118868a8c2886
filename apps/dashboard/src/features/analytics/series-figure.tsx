import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ChartData } from '../../components/chart-series.js';
import { formatTime } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { DataTable } from '../statistics/data-table.js';
import { FigureChart, FigureFrame, Legend } from './analytics-figure.js';

interface SeriesFigureProps {
  name: string;
  /** `undefined` until it is there. */
  chart: ChartData | undefined;
  isWhole: boolean;
  format(value: number | null): string;
  /** The list that a moment leads to, with the filters of the figure. */
  list: '/traces' | '/spans';
  filters?: object;
  note?: ReactNode;
  fault?: ReactNode;
  actions?: ReactNode;
}

/** Values over time that are not those of analytics: a chart that takes keys, or a table, which lead to what is behind. */
export function SeriesFigure({ name, chart, isWhole, format, list, filters, note, ...frame }: SeriesFigureProps) {
  const navigate = useNavigate();
  const { times } = usePreferences();
  const [cursor, onCursor] = useState<number | null>(null);
  if (chart === undefined) return frame.fault;
  const { starts, widthMs, series } = chart;
  const linkTo = (at: number) => {
    const [since, until] = [starts[at]!, starts[at]! + widthMs].map((end) => new Date(end).toISOString());
    return { to: list, search: { ...filters, since, until } as never };
  };
  return (
    <FigureFrame
      title={name}
      {...frame}
      legend={<Legend {...{ ...chart, name, format, cursor }}>{note}</Legend>}
      table={
        <DataTable
          caption={name}
          columns={['From', ...series.map(({ label }) => label)]}
          rows={starts.map((start, at) => [
            String(start),
            <Link key="from" {...linkTo(at)}>
              {formatTime(start, times).slice(0, 16)}
            </Link>,
            ...series.map(({ values }) => format(values[at] ?? null)),
          ])}
        />
      }
    >
      <FigureChart
        figure={{ name, format, isWhole }}
        opens={`the ${list.slice(1)} of that time`}
        {...{ chart, cursor, onCursor }}
        onOpen={(at) => void navigate(linkTo(at))}
      />
    </FigureFrame>
  );
}
