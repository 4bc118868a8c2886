import {
  describeIncomparable,
  findScore,
  isBaselineMetric,
  judgeRegression,
  type GateMetric,
  type Gate,
  type GateOp,
  type JudgedGate,
  type ScoreComparison,
  type ScoreStatistics,
} from '@spandrel/contract';
import { RUN_STATUS } from '../eval-run.js';
import type { RunComparison } from './comparison.js';
import type { MeasuredGroup } from './groups.js';
import { isAtLeast, isSame } from './distributions.js';
import type { RunStatistics, PassK } from './run-statistics.js';

/** A metric: what a gate must name beside it, and where its value is. */
type GateMetricKind =
  /** It is about the combined score, or about that of the scorer that the gate names. */
  | { of: 'score'; valueOf: (score: ScoreStatistics) => number | null }
  /** It is about as many tries as the gate's `k` says, 1 when that is left out; the score as above. */
  | { of: 'pass_k'; valueOf: (passK: PassK) => number | null }
  /** It is about the run as a whole. */
  | { of: 'run'; valueOf: (run: RunStatistics) => number | null }
  /** It is about a score compared with that of `baseline_run_id`. */
  | { of: 'comparison'; valueOf: (score: ScoreComparison) => number | string | null }
  /** It is about the failed samples beside those of `baseline_run_id`. */
  | { of: 'failures'; valueOf: (comparison: Pick<RunComparison, 'failures'>) => number | null };

/** Metrics that clusters make a difference to. */
const CLUSTERED: ReadonlySet<GateMetric> = new Set<GateMetric>([
  'mean_ci_low',
  'pass_rate_ci_low',
  'diff_ci_low',
  'regression',
]);

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
  new_failures: { of: 'failures', valueOf: ({ failures: { diff } }) => diff },
} satisfies Record<GateMetric, GateMetricKind>;

const getMetricKind = (metric: GateMetric): GateMetricKind['of'] => METRICS[metric].of;

/**
 * The value that a gate is about; `null` when there is none.
 * @param gate what it names beside its metric. @param comparison with the gate's baseline.
 */
function metricValue(
  metric: GateMetric,
  { scorer, k }: { scorer: string | null; k: number | null },
  run: RunStatistics,
  comparison: Pick<RunComparison, 'score' | 'scorers' | 'failures'> | undefined,
): number | string | null {
  const kind: GateMetricKind = METRICS[metric];
  if (kind.of === 'run') return kind.valueOf(run);
  if (kind.of === 'failures') return comparison ? kind.valueOf(comparison) : null;
  if (kind.of === 'comparison') {
    const compared = comparison && findScore(comparison, scorer);
    return compared ? kind.valueOf(compared) : null;
  }
  const score = findScore(run, scorer);
  if (!score) return null;
  if (kind.of === 'score') return kind.valueOf(score);
  const passK = score.pass_k.find((entry) => entry.k === (k ?? 1));
  return passK ? kind.valueOf(passK) : null;
}

/** Values that differ by rounding alone are equal (ADR 0046, rule 9). */
const COMPARED: Record<GateOp, (actual: number, value: number) => boolean> = {
  '>=': isAtLeast,
  '>': (actual, value) => actual > value && !isSame(actual, value),
  '<=': (actual, value) => isAtLeast(value, actual),
  '<': (actual, value) => actual < value && !isSame(actual, value),
};

/**
 * Finds what is wrong with a gate for a run; what it needs by itself its schema says.
 * @param run that it is for: its repeats, and the names of its scorers.
 * @returns faults with the member they are at; none when the gate can be judged.
 */
export function gateFaults(
  { metric, scorer, k }: Gate,
  { repeats, scorers }: { repeats: number; scorers: readonly string[] },
): { member: keyof Gate; message: string }[] {
  const faults: { member: keyof Gate; message: string }[] = [];
  const named = scorer ?? null;
  if (named !== null && goesWithScorer(metric) && !scorers.includes(named)) {
    faults.push({
      member: 'scorer',
      message: `must be the name of a scorer of the run: ${scorers.join(', ')}; or a value of its datapoints' metadata`,
    });
  }
  if ((k ?? 1) > repeats) {
    faults.push({ member: 'k', message: `must be at most ${repeats}, the repeats of the run` });
  }
  return faults;
}

/** A gate as a run shows it before it is judged; members that do not go with its metric are left out. */
export function unjudged(gate: Gate): JudgedGate {
  const { metric, scorer, k, op, value, group, by, cluster_by: clusterBy, max_new_failures: riseMax } = gate;
  const isRegression = metric === 'regression';
  const kind = getMetricKind(metric);
  return {
    metric,
    scorer: goesWithScorer(metric) ? (scorer ?? null) : null,
    k: kind === 'pass_k' ? (k ?? 1) : null,
    op: isRegression ? null : (op ?? null),
    value: isRegression ? null : (value ?? null),
    baseline_run_id: isBaselineMetric(metric) ? (gate.baseline_run_id ?? null) : null,
    ...(group && { group: { key: group.key!, value: group.value } }),
    ...(by && { by }),
    ...(clusterBy && CLUSTERED.has(metric) && { cluster_by: clusterBy }),
    ...(gate.allow_different_scoring && kind === 'comparison' && { allow_different_scoring: true as const }),
    ...(typeof riseMax === 'number' && isRegression && !by && { max_new_failures: riseMax }),
    actual: null,
    passed: null,
  };
}

const goesWithScorer = (metric: GateMetric): boolean => !['run', 'failures'].includes(getMetricKind(metric));

/** The numbers of tries that gates ask for: statistics of a run are to be computed with these among `ks`. */
export const listKs = (gates: readonly JudgedGate[]): number[] => [
  ...new Set(gates.filter(({ metric }) => getMetricKind(metric) === 'pass_k').map(({ k }) => k ?? 1)),
];

/** The member of the metadata whose groups a gate looks at. */
export const groupKeyOf = ({ group, by }: JudgedGate): string | undefined => by ?? group?.key;

interface Division {
  clusterBy: string | null;
  /** The member whose groups are looked at; `undefined` for none. */
  key: string | undefined;
}

/** The ways in which gates ask for a run to be clustered and grouped; among them one without clusters. */
export function listDivisions(gates: readonly JudgedGate[]): Division[] {
  return [...new Set([null, ...gates.map((gate) => gate.cluster_by ?? null)])].flatMap((clusterBy) => {
    const ofClusters = gates.filter((gate) => (gate.cluster_by ?? null) === clusterBy);
    const keys = new Set(ofClusters.flatMap((gate) => groupKeyOf(gate) ?? []));
    return (keys.size === 0 ? [undefined] : [...keys]).map((key) => ({ clusterBy, key }));
  });
}

/**
 * Puts a gate to a run.
 * @param run its statistics, with the gate's `k` among the `ks`.
 * @param comparisons of the run by the id of the baseline, with verdicts that do not heed how the runs were scored; so for groups.
 * @param groups of the run by {@link groupKeyOf}.
 */
export function judgeGate(
  gate: JudgedGate,
  run: RunStatistics,
  comparisons: ReadonlyMap<string, RunComparison>,
  groups: readonly MeasuredGroup[] = [],
): JudgedGate {
  const { metric, scorer, baseline_run_id: baseline } = gate;
  const compared = baseline === null ? undefined : comparisons.get(baseline);
  const isAnyScoring = getMetricKind(metric) !== 'comparison' || gate.allow_different_scoring === true;
  const reason = compared && !isAnyScoring ? describeIncomparable(compared, scorer) : null;
  const judged =
    gate.by === undefined ? judgeOnce(gate, run, comparisons, groups) : judgeEachGroup(gate, gate.by, groups);
  if (reason === null || judged.actual === null) return judged;
  const actual = metric === 'regression' ? 'unknown' : judged.actual;
  return { ...gate, actual, ...(gate.by !== undefined && { failing: [] }), passed: false, reason };
}

/** A gate on the run as a whole, or on one group. */
function judgeOnce(
  gate: JudgedGate,
  run: RunStatistics,
  comparisons: ReadonlyMap<string, RunComparison>,
  groups: readonly MeasuredGroup[],
): JudgedGate {
  const { metric, scorer, baseline_run_id: baseline, group } = gate;
  const of = group ? groups.find((each) => each.group[group.key] === group.value) : { statistics: run, comparisons };
  const compared = baseline === null ? undefined : of?.comparisons.get(baseline);
  if (metric === 'regression' && compared) return { ...gate, ...judgeRegression(compared, scorer, gate) };
  const actual = of ? metricValue(metric, gate, of.statistics, compared) : null;
  return { ...gate, actual, passed: actual !== null && holds(gate, actual) };
}

const FAILING_MAX = 20;
/** Verdicts in the order in which one of several groups is shown. */
const WORST_FIRST: readonly string[] = ['worse', 'unknown', 'no_difference', 'better'];

/** A gate that all groups are to meet; of a comparison those that have a pair. */
function judgeEachGroup(gate: JudgedGate, key: string, groups: readonly MeasuredGroup[]): JudgedGate {
  const { metric, baseline_run_id: baseline, op } = gate;
  const found = groups.map(({ group, statistics, comparisons, corrected }) => {
    const compared = baseline === null ? undefined : comparisons.get(baseline);
    const scores = baseline === null ? undefined : corrected.get(baseline);
    return { value: group[key], actual: metricValue(metric, gate, statistics, compared && { ...compared, ...scores }) };
  });
  const judged = isBaselineMetric(metric) ? found.filter(({ actual }) => actual !== null) : found;
  const failing = judged.filter(({ actual }) => actual === null || !holds(gate, actual));
  const verdict = WORST_FIRST.find((each) => judged.some(({ actual }) => actual === each));
  const numbers = judged.flatMap(({ actual }) => (typeof actual === 'number' ? actual : []));
  const least = op === '<' || op === '<=' ? Math.max(...numbers) : Math.min(...numbers);
  return {
    ...gate,
    actual: verdict ?? (numbers.length === 0 ? null : least),
    failing: failing.slice(0, FAILING_MAX),
    passed: judged.length > 0 && failing.length === 0,
  };
}

function holds({ metric, op, value }: JudgedGate, actual: number | string): boolean {
  if (metric === 'regression') return actual !== 'worse';
  return op !== null && value !== null && typeof actual === 'number' && COMPARED[op](actual, value);
}

/** Whether a run of a status is good enough, as its row has it; `null` without gates, and before the end. */
export function decidePassed(status: number, gates: readonly JudgedGate[]): 0 | 1 | null {
  if (gates.length === 0 || status < RUN_STATUS.completed) return null;
  return status === RUN_STATUS.completed && gates.every(({ passed }) => passed) ? 1 : 0;
}
