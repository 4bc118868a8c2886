import type { Gate, GateMetric, GateOp, JudgedGate } from '@spandrel/contract';
import { RUN_STATUS } from '../status.js';
import type { RunComparison } from './comparison.js';
import { kindOfMetric, metricValue } from './gate-metrics.js';
import type { RunStatistics } from './run-statistics.js';
import { isAtLeast, isSame } from './tolerance.js';

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
    faults.push({ member: 'scorer', message: `must be the name of a scorer of the run: ${scorers.join(', ')}` });
  }
  if ((k ?? 1) > repeats) {
    faults.push({ member: 'k', message: `must be at most ${repeats}, the repeats of the run` });
  }
  return faults;
}

/** A gate as a run shows it before it is judged; members that do not go with its metric are left out. */
export const unjudged = ({ metric, scorer, k, op, value, baseline_run_id: baseline }: Gate): JudgedGate => ({
  metric,
  scorer: goesWithScorer(metric) ? (scorer ?? null) : null,
  k: kindOfMetric(metric) === 'pass_k' ? (k ?? 1) : null,
  op: metric === 'regression' ? null : (op ?? null),
  value: metric === 'regression' ? null : (value ?? null),
  baseline_run_id: kindOfMetric(metric) === 'comparison' ? (baseline ?? null) : null,
  actual: null,
  passed: null,
});

const goesWithScorer = (metric: GateMetric): boolean => kindOfMetric(metric) !== 'run';

/** The numbers of tries that gates ask for: statistics of a run are to be computed with these among `ks`. */
export const ksOfGates = (gates: readonly JudgedGate[]): number[] => [
  ...new Set(gates.filter(({ metric }) => kindOfMetric(metric) === 'pass_k').map(({ k }) => k ?? 1)),
];

/**
 * Puts a gate to a run.
 * @param run its statistics, with the gate's `k` among the `ks`.
 * @param comparisons of the run by the id of the baseline.
 */
export function judgeGate(
  gate: JudgedGate,
  run: RunStatistics,
  comparisons: ReadonlyMap<string, RunComparison>,
): JudgedGate {
  const { metric, baseline_run_id: baseline } = gate;
  const actual = metricValue(metric, gate, run, baseline === null ? undefined : comparisons.get(baseline));
  return { ...gate, actual, passed: actual !== null && holds(gate, actual) };
}

function holds({ metric, op, value }: JudgedGate, actual: number | string): boolean {
  if (metric === 'regression') return actual !== 'worse';
  return op !== null && value !== null && typeof actual === 'number' && COMPARED[op](actual, value);
}

/** Whether a run of a status is good enough, as its row has it; `null` without gates, and before the end. */
export function passedOf(status: number, gates: readonly JudgedGate[]): 0 | 1 | null {
  if (gates.length === 0 || status < RUN_STATUS.completed) return null;
  return status === RUN_STATUS.completed && gates.every(({ passed }) => passed) ? 1 : 0;
}
