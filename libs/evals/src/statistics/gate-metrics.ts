import type { GateMetric } from '@spandrel/contract';
import type { RunComparison, ScoreComparison } from './comparison.js';
import type { RunStatistics } from './run-statistics.js';
import type { PassK } from './pass-k.js';
import type { ScoreStatistics } from './score-statistics.js';

/** A metric: what a gate must name beside it, and where its value is. */
type GateMetricKind =
  /** It is about the combined score, or about that of the scorer that the gate names. */
  | { of: 'score'; valueOf: (score: ScoreStatistics) => number | null }
  /** It is about as many tries as the gate's `k` says, 1 when that is left out; the score as above. */
  | { of: 'pass_k'; valueOf: (passK: PassK) => number | null }
  /** It is about the run as a whole. */
  | { of: 'run'; valueOf: (run: RunStatistics) => number | null }
  /** It is about a score compared with that of `baseline_run_id`. */
  | { of: 'comparison'; valueOf: (score: ScoreComparison) => number | string | null };

/** Counts of no datapoint at all say nothing, good or bad. */
const countOf =
  (member: 'never_passed' | 'flaky_datapoints') =>
  (score: ScoreStatistics): number | null =>
    score.datapoints === 0 ? null : score[member];

const METRICS = {
  mean: { of: 'score', valueOf: ({ mean }) => mean },
  mean_ci_low: { of: 'score', valueOf: ({ ci }) => ci?.low ?? null },
  pass_rate: { of: 'score', valueOf: ({ pass_rate: { mean } }) => mean },
  pass_rate_ci_low: { of: 'score', valueOf: ({ pass_rate: { ci } }) => ci?.low ?? null },
  pass_at_k: { of: 'pass_k', valueOf: ({ pass_at_k: chance }) => chance },
  pass_hat_k: { of: 'pass_k', valueOf: ({ pass_hat_k: chance }) => chance },
  min_datapoint_pass_rate: { of: 'score', valueOf: ({ min_datapoint_pass_rate: least }) => least },
  never_passed: { of: 'score', valueOf: countOf('never_passed') },
  flaky_datapoints: { of: 'score', valueOf: countOf('flaky_datapoints') },
  failed_samples: { of: 'run', valueOf: ({ failed_samples: failed }) => failed },
  failed_rate: {
    of: 'run',
    valueOf: ({ failed_samples: failed, samples }) => (samples === 0 ? null : failed / samples),
  },
  latency_p50: { of: 'run', valueOf: ({ latency_ms: { p50 } }) => p50 },
  latency_p95: { of: 'run', valueOf: ({ latency_ms: { p95 } }) => p95 },
  total_cost: { of: 'run', valueOf: ({ cost: { total } }) => total },
  mean_cost: { of: 'run', valueOf: ({ cost: { mean } }) => mean },
  diff: { of: 'comparison', valueOf: ({ diff }) => diff },
  diff_ci_low: { of: 'comparison', valueOf: ({ ci }) => ci?.low ?? null },
  worse: { of: 'comparison', valueOf: ({ pairs, worse }) => (pairs === 0 ? null : worse) },
  // Without a pair nothing was compared; with one or a few the verdict is `unknown`.
  regression: { of: 'comparison', valueOf: ({ pairs, verdict }) => (pairs === 0 ? null : verdict) },
} satisfies Record<GateMetric, GateMetricKind>;

/** What a gate must name beside its metric. */
export const kindOfMetric = (metric: GateMetric): GateMetricKind['of'] => METRICS[metric].of;

/**
 * The value that a gate is about; `null` when there is none.
 * @param gate what it names beside its metric. @param comparison with the gate's baseline.
 */
export function metricValue(
  metric: GateMetric,
  { scorer, k }: { scorer: string | null; k: number | null },
  run: RunStatistics,
  comparison: RunComparison | undefined,
): number | string | null {
  const kind: GateMetricKind = METRICS[metric];
  if (kind.of === 'run') return kind.valueOf(run);
  if (kind.of === 'comparison') {
    const compared = comparison && scoreOf(comparison, scorer);
    return compared ? kind.valueOf(compared) : null;
  }
  const score = scoreOf(run, scorer);
  if (!score) return null;
  if (kind.of === 'score') return kind.valueOf(score);
  const passK = score.pass_k.find((entry) => entry.k === (k ?? 1));
  return passK ? kind.valueOf(passK) : null;
}

/** The combined score, or that of a scorer; `undefined` when there is no such scorer. */
function scoreOf<T>(of: { score: T; scorers: Record<string, T> }, scorer: string | null): T | undefined {
  if (scorer === null) return of.score;
  return Object.hasOwn(of.scorers, scorer) ? of.scorers[scorer] : undefined;
}
