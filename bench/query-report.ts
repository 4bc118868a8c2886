import type { FilledDatabase } from './filled-database.ts';
import type { QueryFigure, QueryFigures } from './query-rows.ts';
import { goal, heading, row } from './report.ts';

/** Prints the figures of the queries and holds the slowest of each kind against its goal. */
export function reportQueries(figures: QueryFigures, spans: number, { bytes, perSecond }: FilledDatabase): void {
  heading(`SQLite, ${spans} spans over 30 days, events of some seconds`);
  row('on disk', `${(bytes / 1_048_576).toFixed(0)} MB`, `${(bytes / spans).toFixed(0)} a span`);
  row('filled by ingests at', `${perSecond.toFixed(0)} spans/s`);
  table(`GET /api/spans at ${spans} spans, one filter`, figures.lists);
  table('GET /api/spans, sorted', figures.sorts);
  table('Text searches', [...figures.searchesWithHits, ...figures.searchesWithout]);
  table('Analytics', figures.analytics);
  table('Analytics: splits, percentiles, minutes', figures.analyticsParts);
  const { beside } = figures;
  heading('POST /api/spans beside text searches without a hit and a full export');
  row('p99', `${beside.p99.toFixed(1)} ms`, `${beside.spans} spans`, `${beside.searches} searches`);
  row('exported', `${(beside.exportedBytes / 1_048_576).toFixed(0)} MB`);
  goal('slowest list with one filter, ms', slowest(figures.lists), '<', 20);
  goal('slowest sorted list, ms', slowest(figures.sorts), '<', 20);
  goal('slowest list when first asked for, ms', slowestFirst([...figures.lists, ...figures.sorts]), '<=', 100);
  goal('slowest text search with hits, ms', slowest(figures.searchesWithHits), '<', 20);
  goal('slowest text search without a hit, ms', slowest(figures.searchesWithout), '<', 1_000);
  goal('slowest summary or time series, ms', slowest(figures.analytics), '<', 10);
  goal('POST /api/spans p99 ms beside search and export', beside.p99, '<', 50);
}

function table(title: string, figures: readonly QueryFigure[]): void {
  heading(title);
  row('', 'median ms', 'first ms', 'items');
  for (const { name, medianMs, firstMs, count } of figures)
    row(name, medianMs.toFixed(1), firstMs.toFixed(1), String(count));
}

const slowest = (figures: readonly QueryFigure[]): number => Math.max(...figures.map(({ medianMs }) => medianMs));
const slowestFirst = (figures: readonly QueryFigure[]): number => Math.max(...figures.map(({ firstMs }) => firstMs));
