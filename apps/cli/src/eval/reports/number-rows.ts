import type { ScoreStatistics } from '@spandrel/contract';
import { formatInterval, formatScore } from '@spandrel/contract/browser';
import { namedScores } from '../words/named-scores.js';
import { formatDollars, formatLatency } from '../words/numbers.js';
import type { EvalReport } from './eval-report.js';

/** A number of a run in words. */
export interface NumberRow {
  what: string;
  value: string;
  /** The 95% interval; empty where there is none by its nature. */
  interval: string;
}

/** The numbers of a run that people look at, in the order in which they do. */
export function numberRows({ run, statistics }: Pick<EvalReport, 'run' | 'statistics'>): NumberRow[] {
  const { score, scorers, latency_ms: latency, cost, judge_cost: judges } = statistics;
  return [
    row('Mean score', formatScore(score.mean), formatInterval(score.ci)),
    ...namedScores(scorers).map(([name, { mean, ci }]) =>
      row(`Mean score of ${name}`, formatScore(mean), formatInterval(ci)),
    ),
    row('Pass rate', formatScore(score.pass_rate.mean), formatInterval(score.pass_rate.ci)),
    ...(run.repeats > 1 ? repeatedRows(score) : []),
    row('Failed samples', `${statistics.failed_samples} of ${statistics.samples}`),
    row('Latency p50, p95', `${formatLatency(latency.p50)}, ${formatLatency(latency.p95)}`),
    row('Cost', formatDollars(cost.total)),
    ...(judges === null ? [] : [row('Cost of judges', formatDollars(judges))]),
  ];
}

const row = (what: string, value: string, interval = ''): NumberRow => ({ what, value, interval });

const repeatedRows = ({ pass_k: passK, flaky_datapoints: flaky }: ScoreStatistics): NumberRow[] => [
  ...passK
    .filter(({ k }) => k > 1)
    .map(({ k, pass_at_k: any, pass_hat_k: all }) =>
      row(`pass@${k}, pass^${k}`, `${formatScore(any)}, ${formatScore(all)}`),
    ),
  row('Flaky datapoints', String(flaky)),
];
