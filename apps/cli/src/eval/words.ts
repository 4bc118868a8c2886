import type { GateMetric, JudgedGate, EvalStatistics, ScoreComparison, EvalRunSummary } from '@spandrel/contract';
import {
  NONE,
  describeIncomparable,
  describeVerdict,
  formatDifference,
  formatMetadataValue,
  formatScore,
  describeInterval,
  formatP,
} from '@spandrel/contract/browser';
import { oneLine } from '../client/output/text.js';
import { costText, durationText } from '../client/output/units.js';

type Maybe = number | null | undefined;

/** Milliseconds: `85 ms`, `1.49 s`. */
export const formatLatency = (ms: Maybe): string => durationText(ms) || NONE;

/** Dollars: `$1.20`, `$0.00032`. */
export const formatDollars = (dollars: Maybe): string => costText(dollars) || NONE;

/** Metrics that are no scores; others are shown as scores, counts among them. */
const FORMATS: Partial<Record<GateMetric, (value: number) => string>> = {
  latency_p50: formatLatency,
  latency_p95: formatLatency,
  total_cost: formatDollars,
  mean_cost: formatDollars,
  diff: formatDifference,
  diff_ci_low: formatDifference,
  new_failures: formatDifference,
};

type FoundByGate = Pick<JudgedGate, 'metric' | 'actual' | 'failing'>;

/** What a gate found, and the groups where it does not hold, in the words of its metric: `0.85`, `1.49 s`, `worse (legal)`. */
export function formatActual({ metric, actual, failing = [] }: FoundByGate): string {
  const found =
    actual === null
      ? NONE
      : typeof actual === 'string'
        ? actual.replaceAll('_', ' ')
        : (FORMATS[metric] ?? formatScore)(actual);
  const groups = failing.map(({ value }) => formatMetadataValue(value)).join(', ');
  return groups === '' ? found : `${found} (${groups})`;
}

type Comparison = NonNullable<EvalStatistics['comparison']>;

/** The verdict on a score, or why there is none. @param scorer its name; `null`: the score of all together. */
export const describeCompared = (comparison: Comparison, scorer: string | null, score: ScoreComparison): string =>
  oneLine(describeVerdict(score, describeIncomparable(comparison, scorer)));

/** What a difference rests on: `+0.233 (95% interval -0.026 to 0.493, p 0.065); 9 better, 2 worse, 19 the same`. */
export function describeDifference(score: ScoreComparison): string {
  const { diff, ci, p_value: p, better, worse, same } = score;
  const interval = ci === null ? '' : `${describeInterval(ci)}, `;
  return `${formatDifference(diff)} (${interval}p ${formatP(p)}); ${better} better, ${worse} worse, ${same} the same`;
}

/** How the latency differs: `Latency +120 ms (95% interval -261 ms to 502 ms, p 0.16).`; nothing where it is not known. */
export function describeLatency({ latency_ms: { diff, ci, p_value: p } }: Comparison): string[] {
  if (diff === null) return [];
  const interval = ci === null ? '' : `${describeInterval(ci, formatLatency)}, `;
  return [`Latency ${formatDifference(diff, formatLatency)} (${interval}p ${formatP(p)}).`];
}

const STOPS = {
  cancelled: 'it was cancelled',
  cost_cap: 'it reached its cost cap',
  idle: 'no result came for too long',
} as const;

type Run = Pick<EvalRunSummary, 'status' | 'stop_reason' | 'error' | 'sample_progress' | 'sample_total'>;

/** Why a run did not come to a good end, or did not come to one yet; `null` for one that did. */
export function describeStop(run: Run): string | null {
  const { status, stop_reason: reason, error, sample_progress: done, sample_total: total } = run;
  switch (status) {
    case 'completed':
      return total === 0 ? 'There was nothing to evaluate: the run has no datapoints.' : error;
    case 'failed':
      return `The run failed: ${error ?? 'no reason is known'}`;
    case 'cancelled':
      return `The run was stopped: ${STOPS[reason ?? 'cancelled']}; ${done} of ${total} samples are processed.`;
    default:
      return `The run is ${status}: ${done} of ${total} samples are processed.`;
  }
}
