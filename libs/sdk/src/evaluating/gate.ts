import type { EvalGate } from '../api/schema.js';

/** How the number of a metric is counted, and so what a gate on it may ask for. */
type Range = 'share' | 'difference' | 'amount';

/** What gates may look at, as the API knows it (docs/spec/eval-gates.md). */
export const METRICS = {
  mean: 'share',
  mean_ci_low: 'share',
  pass_rate: 'share',
  pass_rate_ci_low: 'share',
  pass_at_k: 'share',
  pass_hat_k: 'share',
  min_datapoint_pass_rate: 'share',
  never_passed: 'amount',
  flaky_datapoints: 'amount',
  failed_samples: 'amount',
  failed_rate: 'share',
  latency_p50: 'amount',
  latency_p95: 'amount',
  total_cost: 'amount',
  mean_cost: 'amount',
  diff: 'difference',
  diff_ci_low: 'difference',
  worse: 'amount',
  regression: 'difference',
} as const satisfies Record<EvalGate['metric'], Range>;

export type GateMetric = keyof typeof METRICS;
export type GateOp = '>=' | '>' | '<=' | '<';

/** A gate as `POST /api/eval/:run_id/gates` and the start of a run take it. */
export interface Gate {
  metric: GateMetric;
  /** A scorer of the run by its name; the score of all together when left out. */
  scorer?: string;
  /** Goes with `pass_at_k` and `pass_hat_k`; 1 when left out. */
  k?: number;
  op?: GateOp;
  value?: number;
  /** Required by the metrics that compare. */
  baseline_run_id?: string;
}

/** A gate as it was given, or as a run shows it: members that do not go with the metric may be `null`. */
export type AnyGate = { [Member in keyof Gate]: Gate[Member] | null } & { metric: GateMetric };

const COMPARING: ReadonlySet<GateMetric> = new Set(['diff', 'diff_ci_low', 'worse', 'regression']);
const TRIES: ReadonlySet<GateMetric> = new Set(['pass_at_k', 'pass_hat_k']);

/** Whether a gate compares its run with a baseline, and so needs one. */
export const needsBaseline = ({ metric }: Pick<Gate, 'metric'>): boolean => COMPARING.has(metric);

/** Whether a metric is a chance in so many tries. */
export const takesTries = (metric: GateMetric): boolean => TRIES.has(metric);

/** @returns a gate in the words that `parseGate` reads, such as `short.pass_hat_k@3 >= 0.8` or `no regression`. */
export function describeGate({ metric, scorer, k, op, value }: AnyGate): string {
  const name = `${scorer ? `${scorer}.` : ''}${metric}`;
  if (metric === 'regression') return `no ${name}`;
  return `${name}${takesTries(metric) ? `@${k ?? 1}` : ''} ${op} ${value}`;
}
