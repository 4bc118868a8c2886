import type { BucketWidth } from '@spandrel/contract';
import { formatCounted, formatScore, NONE } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { formatTime } from '../../components/format.js';
import { QueryFault } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { FigureChart, FigureFrame } from '../../features/analytics/analytics-figure.js';
import type { AnalyticsSearch } from '../../features/analytics/analytics-search.js';
import { knownEnds, WIDTH_MS } from '../../features/analytics/plan-question.js';
import { useHasFeature } from '../../features/browser-session.js';
import { describeQuality, scoreFigures, type ScoreFigure } from '../../features/scores/score-series.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import figureStyles from '../../features/analytics/analytics-figure.module.css';

/** Figures of scores that are shown, those with the most scores. */
const FIGURES_MAX = 12;

interface ScoreFiguresProps {
  search: AnalyticsSearch;
  /** The buckets of the other figures. */
  width: BucketWidth;
}

/** Scores over time, a figure for each name; nothing where nothing was scored in the range. */
export function ScoreFigures({ search, width }: ScoreFiguresProps) {
  const group = width === 'minute' ? 'hour' : width;
  const query = useQuery({
    queryKey: keys.analytics(search, { scores: group }),
    enabled: useHasFeature('scores') === true,
    queryFn: async ({ signal }) => {
      const ends = knownEnds(search, Date.now());
      const asked = { ...ends, group_by: group, ...(search.model && { model: search.model }) } as const;
      const [all, judged] = await Promise.all([
        api.getScoreSeries({ query: asked, signal }),
        api.getScoreSeries({ query: { ...asked, source: 'judge' }, signal }),
      ]);
      const byJudge = new Set(judged.buckets.map(({ name }) => name));
      return { ends, byJudge, figures: scoreFigures(all.buckets, WIDTH_MS[group]).slice(0, FIGURES_MAX) };
    },
  });
  const { data } = query;
  if (data === undefined ? query.error === null : data.figures.length === 0) return null;
  return (
    <section aria-labelledby="scores-heading">
      <h2 id="scores-heading">Scores</h2>
      <QueryFault title="Scores could not be loaded" query={query} />
      <div className={figureStyles.figures}>
        {data?.figures.map((figure) => (
          <ScoreChart key={figure.name} figure={figure} quality={data.byJudge.has(figure.name) ? data.ends : null} />
        ))}
      </div>
    </section>
  );
}

interface ScoreChartProps {
  figure: ScoreFigure;
  /** The range in which the judge's scores are compared with people's; `null` where no judge gave some. */
  quality: { since?: string; until?: string } | null;
}

function ScoreChart({ figure: { name, count, chart }, quality }: ScoreChartProps) {
  const navigate = useNavigate();
  const { times } = usePreferences();
  const [cursor, onCursor] = useState<number | null>(null);
  const format = (value: number | null): string => (value === null ? NONE : formatScore(value));
  const searchOf = (at: number) => {
    const start = chart.starts[at]!;
    const since = new Date(start).toISOString();
    const until = new Date(start + chart.widthMs).toISOString();
    return { since, until, cols: 'started_at,name,input,status,scores' };
  };
  return (
    <FigureFrame
      title={name}
      legend={
        <ul className={figureStyles.legend} aria-label={`Legend of ${name}`}>
          {chart.series.map(({ label, colour, values }) => (
            <li key={label}>
              <span
                className={figureStyles.swatch}
                data-line={chart.form === 'lines'}
                style={{ color: `var(${colour})` }}
                aria-hidden="true"
              />
              <bdi className={figureStyles.label}>{label}</bdi>
              <span className={figureStyles.value}>{cursor !== null && format(values[cursor] ?? null)}</span>
            </li>
          ))}
          <li>{formatCounted(count, 'score')}</li>
        </ul>
      }
      fault={quality !== null && <Quality name={name} range={quality} />}
      table={
        <ScrolledTable caption={name} isCaptionHidden columns={['From', ...chart.series.map(({ label }) => label)]}>
          {chart.starts.map((start, at) => (
            <tr key={start}>
              <th scope="row">
                <Link to="/traces" search={searchOf(at)}>
                  {formatTime(start, times).slice(0, 16)}
                </Link>
              </th>
              {chart.series.map(({ label, values }) => (
                <td key={label}>{format(values[at] ?? null)}</td>
              ))}
            </tr>
          ))}
        </ScrolledTable>
      }
    >
      <FigureChart
        figure={{ name, format, isWhole: chart.form === 'bars' }}
        opens="the traces of that time"
        {...{ chart, cursor, onCursor }}
        onOpen={(at) => void navigate({ to: '/traces', search: searchOf(at) })}
      />
    </FigureFrame>
  );
}

/** What people's scores say of the judge's. */
function Quality({ name, range }: { name: string; range: { since?: string; until?: string } }) {
  const query = useQuery({
    queryKey: keys.analytics({ quality: name }, range),
    queryFn: ({ signal }) => api.getScoreQuality({ query: { name, ...range }, signal }),
  });
  return (
    <>
      <QueryFault title="The quality of the judge could not be loaded" query={query} />
      {query.data && <p>{describeQuality(query.data)}</p>}
    </>
  );
}
