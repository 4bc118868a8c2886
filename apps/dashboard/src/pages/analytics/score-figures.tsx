import type { BucketWidth } from '@spandrel/contract';
import { formatCounted, formatScore, NONE } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { useLater } from '../../components/hooks.js';
import { QueryFault } from '../../components/page-parts.js';
import { draftOfFigure } from '../../features/alerts/alert-form.js';
import { CreateAlert } from '../../features/alerts/create-alert.js';
import type { AnalyticsSearch } from '../../features/analytics/analytics-search.js';
import { knownEnds, WIDTH_MS } from '../../features/analytics/plan-question.js';
import { SeriesFigure } from '../../features/analytics/series-figure.js';
import { useHasFeature } from '../../features/browser-session.js';
import { describeQuality, scoreFigures, type ScoreFigure } from '../../features/scores/score-series.js';
import figureStyles from '../../features/analytics/analytics-figure.module.css';

const FIGURES_MAX = 12;

interface ScoreFiguresProps {
  search: AnalyticsSearch;
  width: BucketWidth;
}

/** Scores over time, a figure for each name; nothing where nothing was scored in the range. */
export function ScoreFigures({ search, width }: ScoreFiguresProps) {
  const group = width === 'minute' ? 'hour' : width;
  const hasScores = useHasFeature('scores') === true;
  const query = useQuery({
    queryKey: keys.analytics(search, { scores: group }),
    enabled: useLater() && hasScores,
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
          <ScoreChart
            key={figure.name}
            {...{ figure, search }}
            quality={data.byJudge.has(figure.name) ? data.ends : null}
          />
        ))}
      </div>
    </section>
  );
}

interface ScoreChartProps extends Pick<ScoreFiguresProps, 'search'> {
  figure: ScoreFigure;
  /** The range in which the judge's scores are compared with people's; `null` where no judge gave some. */
  quality: { since?: string; until?: string } | null;
}

function ScoreChart({ figure: { name, count, hasValues, chart }, quality, search }: ScoreChartProps) {
  return (
    <SeriesFigure
      {...{ name, chart }}
      isWhole={chart.form === 'bars'}
      format={(value) => (value === null ? NONE : formatScore(value))}
      list="/traces"
      filters={{ cols: 'started_at,name,input,status,scores' }}
      note={formatCounted(count, 'score')}
      fault={quality !== null && <Quality name={name} range={quality} />}
      actions={hasValues && <CreateAlert draft={draftOfFigure(null, search, name)} />}
    />
  );
}

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
