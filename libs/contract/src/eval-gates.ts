import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import { settingNumber } from './values/numbers.js';
import { keySchema } from './values/text.js';

/** What an interval is made by: Wilson's, for pass rates of single samples, or Student's t. */
export const INTERVAL_METHODS = ['wilson', 't'] as const;

/** A confidence interval (docs/evaluations.md). */
export const intervalSchema = z
  .object({ low: z.number(), high: z.number(), level: z.literal(0.95), method: z.enum(INTERVAL_METHODS) })
  .meta({ id: 'Interval' });
export type Interval = z.output<typeof intervalSchema>;

/** What a gate may look at in a run by itself. */
export const RUN_METRICS = [
  'mean',
  'mean_ci_low',
  'pass_rate',
  'pass_rate_ci_low',
  'pass_at_k',
  'pass_hat_k',
  'min_datapoint_pass_rate',
  'never_passed',
  'flaky_datapoints',
  'failed_samples',
  'failed_rate',
  'latency_p50',
  'latency_p95',
  'total_cost',
  'mean_cost',
] as const;

/** What a gate may look at in a run beside a baseline. */
export const BASELINE_METRICS = ['diff', 'diff_ci_low', 'worse', 'regression'] as const;

export const GATE_METRICS = [...RUN_METRICS, ...BASELINE_METRICS] as const;
export type GateMetric = (typeof GATE_METRICS)[number];

export const GATE_OPS = ['>=', '>', '<=', '<'] as const;
export type GateOp = (typeof GATE_OPS)[number];

export const GATES_MAX = 32;

export const REPEATS_MAX = 100;

export const isBaselineMetric = (metric: GateMetric): boolean =>
  (BASELINE_METRICS as readonly string[]).includes(metric);

/** A condition that a run is to meet (docs/spec/eval-gates.md). */
export const gateSchema = z
  .object({
    metric: z.enum(GATE_METRICS),
    scorer: z.string().nullish().describe('Name of a scorer; the score of all together when left out.'),
    k: settingNumber(z.number().int().min(1).max(REPEATS_MAX).nullish()).describe(
      'The k of `pass_at_k` and `pass_hat_k`; 1 when left out.',
    ),
    op: z
      .enum(GATE_OPS)
      .nullish()
      .describe('Required, but for `regression`, which holds unless the verdict is `worse`.'),
    value: settingNumber(z.number().nullish()).describe('Required, but for `regression`.'),
    baseline_run_id: keySchema.nullish().describe('Required by `diff`, `diff_ci_low`, `worse` and `regression`.'),
  })
  .superRefine((gate, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (gate.metric !== 'regression') {
      if ((gate.op ?? undefined) === undefined) refuse('op', 'is required');
      if ((gate.value ?? undefined) === undefined) refuse('value', 'is required');
    }
    if (isBaselineMetric(gate.metric) && (gate.baseline_run_id ?? undefined) === undefined) {
      refuse('baseline_run_id', `is required by ${gate.metric}`);
    }
  })
  .meta({ id: 'EvalGate' });
export type Gate = z.output<typeof gateSchema>;

/** A gate as a run shows it, with what was found. */
export const judgedGateSchema = z
  .object({
    metric: z.enum(GATE_METRICS),
    scorer: z.string().nullable(),
    k: z.number().int().nullable(),
    op: z.enum(GATE_OPS).nullable(),
    value: z.number().nullable(),
    baseline_run_id: z.string().nullable(),
    actual: z
      .union([z.number(), z.string()])
      .nullable()
      .describe(
        'What was found: a number, or the verdict of a `regression`; `null` before the end, and where there is no value.',
      ),
    passed: z.boolean().nullable().describe('`null` before the end; a gate without a value does not hold.'),
  })
  .meta({ id: 'JudgedGate' });
export type JudgedGate = z.output<typeof judgedGateSchema>;

export const gatesSchema = boundedList(gateSchema, GATES_MAX);

/** `POST /api/eval/:run_id/gates`. */
export const setGatesSchema = z
  .object({ gates: gatesSchema })
  .meta({ id: 'SetEvalGates', description: 'Takes the place of the gates of the run.' });
export type SetGates = z.output<typeof setGatesSchema>;
