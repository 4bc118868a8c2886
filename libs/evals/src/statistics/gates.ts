import type { RunComparison } from './comparison.js';
import { GATE_METRICS, kindOfMetric, metricValue, scoreOf, type GateMetric } from './gate-metrics.js';
import type { RunStatistics } from './run-statistics.js';
import { isAtLeast, isSame } from './tolerance.js';

/** A condition that a run has to meet, as the wire has it. */
export interface Gate {
  metric: GateMetric;
  /** `undefined`: the combined score. */
  scorer?: string | undefined;
  /** For `pass_at_k` and `pass_hat_k`; `undefined`: 1. */
  k?: number | undefined;
  /** Every metric but `regression` has `op` and `value`. */
  op?: GateOp | undefined;
  value?: number | undefined;
  baseline_run_id?: string | undefined;
}

export type GateOp = keyof typeof COMPARED;

export interface JudgedGate extends Gate {
  /** The value that was compared; `null` when the run has none, and then the gate does not hold. */
  actual: number | null;
  passed: boolean;
}

/** Values that differ by rounding alone are equal (ADR 0046, rule 9). */
const COMPARED = {
  '>=': isAtLeast,
  '>': (actual: number, value: number) => actual > value && !isSame(actual, value),
  '<=': (actual: number, value: number) => isAtLeast(value, actual),
  '<': (actual: number, value: number) => actual < value && !isSame(actual, value),
};

export const GATE_OPS = Object.keys(COMPARED) as [GateOp, ...GateOp[]];

/**
 * Finds what is wrong with a gate beyond the types of its members.
 * @param run that it is for: its repeats, and the names of its scorers.
 * @returns faults with the member they are at; none when the gate can be judged.
 */
export function gateFaults(
  gate: Omit<Gate, 'metric'> & { metric: string },
  run: { repeats: number; scorers: readonly string[] },
): { member: keyof Gate; message: string }[] {
  if (!isMetric(gate.metric)) {
    return [{ member: 'metric', message: `must be one of ${GATE_METRICS.join(', ')}` }];
  }
  const kind = kindOfMetric(gate.metric);
  const faults: { member: keyof Gate; message: string }[] = [];
  const expect = (holds: boolean, member: keyof Gate, message: string) => {
    if (!holds) faults.push({ member, message });
  };
  const { scorer, k, op, value, baseline_run_id: baseline, metric } = gate;
  expect(scorer === undefined || kind !== 'run', 'scorer', `does not go with ${metric}, which is of the whole run`);
  expect(
    scorer === undefined || kind === 'run' || run.scorers.includes(scorer),
    'scorer',
    `must be a scorer of the run: ${run.scorers.join(', ')}`,
  );
  expect(k === undefined || kind === 'pass_k', 'k', `does not go with ${metric}`);
  expect(
    k === undefined || kind !== 'pass_k' || k <= run.repeats,
    'k',
    `must be ${run.repeats} at most, the repeats of the run`,
  );
  expect(kind !== 'comparison' || baseline !== undefined, 'baseline_run_id', `is required for ${metric}`);
  expect(kind === 'comparison' || baseline === undefined, 'baseline_run_id', `does not go with ${metric}`);
  const compares = metric !== 'regression';
  expect(compares === (op !== undefined), 'op', compares ? `is required for ${metric}` : 'does not go with regression');
  expect(
    compares === (value !== undefined),
    'value',
    compares ? `is required for ${metric}` : 'does not go with regression',
  );
  return faults;
}

const isMetric = (metric: string): metric is GateMetric => GATE_METRICS.includes(metric as GateMetric);

/** The numbers of tries that gates ask for: statistics of a run are to be computed with these among `ks`. */
export const ksOfGates = (gates: readonly Gate[]): number[] => [
  ...new Set(gates.filter(({ metric }) => kindOfMetric(metric) === 'pass_k').map(({ k }) => k ?? 1)),
];

/**
 * Puts a gate to a run.
 * @param run its statistics, with the gate's `k` among the `ks`.
 * @param comparisons of the run by the id of the baseline.
 */
export function judgeGate(gate: Gate, run: RunStatistics, comparisons: ReadonlyMap<string, RunComparison>): JudgedGate {
  const comparison = gate.baseline_run_id === undefined ? undefined : comparisons.get(gate.baseline_run_id);
  const actual = metricValue(gate.metric, gate, run, comparison);
  return { ...gate, actual, passed: actual !== null && holds(gate, actual, comparison) };
}

function holds({ metric, scorer, op, value }: Gate, actual: number, comparison: RunComparison | undefined): boolean {
  if (metric === 'regression') return comparison !== undefined && scoreOf(comparison, scorer)?.verdict !== 'worse';
  return op !== undefined && value !== undefined && COMPARED[op](actual, value);
}
