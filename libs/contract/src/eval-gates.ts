import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import { amountSchema, countSchema, settingNumber } from './values/numbers.js';
import { keySchema } from './values/text.js';

/** What an interval is made by: Wilson's, for pass rates of single samples, or Student's t. */
export const INTERVAL_METHODS = ['wilson', 't'] as const;

/** A confidence interval (docs/evaluations.md). */
export const intervalSchema = z
  .object({ low: z.number(), high: z.number(), level: z.literal(0.95), method: z.enum(INTERVAL_METHODS) })
  .meta({ id: 'Interval' });
export type Interval = z.output<typeof intervalSchema>;

/** A share of datapoints, and how sure it is. */
export const rateSchema = z
  .object({ mean: z.number().nullable(), se: z.number().nullable(), ci: intervalSchema.nullable() })
  .meta({ id: 'MeanRate' });

/** What samples took or cost. */
export const amountsSchema = z
  .object({
    count: countSchema,
    mean: amountSchema.nullable(),
    ci: intervalSchema.nullable().describe('95% interval of the mean.'),
    p50: amountSchema.nullable(),
    p95: amountSchema.nullable(),
    max: amountSchema.nullable(),
  })
  .meta({ id: 'Amounts' });

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
export const BASELINE_METRICS = ['diff', 'diff_ci_low', 'worse', 'regression', 'new_failures'] as const;

export const GATE_METRICS = [...RUN_METRICS, ...BASELINE_METRICS] as const;
export type GateMetric = (typeof GATE_METRICS)[number];
const gateMetricSchema = z.enum(GATE_METRICS).meta({ id: 'GateMetric' });

export const GATE_OPS = ['>=', '>', '<=', '<'] as const;
export type GateOp = (typeof GATE_OPS)[number];

export const GATES_MAX = 32;

export const REPEATS_MAX = 100;

export const isBaselineMetric = (metric: GateMetric): boolean =>
  (BASELINE_METRICS as readonly string[]).includes(metric);

/** Groups that one answer has at most (docs/spec/eval-statistics.md#groups). */
export const GROUPS_MAX = 200;

/** The longest value of the metadata that makes a group, in UTF-16 units of its JSON. */
export const GROUP_VALUE_LENGTH_MAX = 256;

/** A member of the datapoints' `metadata` by its name, with `metadata.` before it or without; parses to the name. */
export const metadataKeySchema = keySchema
  .transform((text) => text.replace(/^metadata\./, ''))
  .pipe(z.string().min(1, 'must be the name of a member of the metadata'));

const groupValueSchema = z
  .union([z.string().max(GROUP_VALUE_LENGTH_MAX), settingNumber(z.number()), z.boolean()])
  .nullable();

/** Whether a metric is of a whole run alone, which has one sum of its costs. */
export const isCostMetric = (metric: GateMetric): boolean => metric === 'total_cost' || metric === 'mean_cost';

/** A condition that a run is to meet (docs/spec/eval-gates.md). */
export const gateSchema = z
  .object({
    metric: gateMetricSchema,
    scorer: z
      .string()
      .nullish()
      .describe(
        'Name of a scorer; the score of all together when left out. Where no scorer has it: that of a group, or `GROUP.SCORER`.',
      ),
    k: settingNumber(z.number().int().min(1).max(REPEATS_MAX).nullish()).describe(
      'The k of `pass_at_k` and `pass_hat_k`; 1 when left out.',
    ),
    op: z
      .enum(GATE_OPS)
      .nullish()
      .describe('Required, but for `regression`, which holds unless the verdict is `worse`.'),
    value: settingNumber(z.number().nullish()).describe('Required, but for `regression`.'),
    baseline_run_id: keySchema.nullish().describe('Required by the metrics that compare.'),
    allow_different_scoring: z
      .boolean()
      .nullish()
      .describe('Compares scores also where the baseline was scored differently.'),
    max_new_failures: settingNumber(z.number().min(0).max(1).nullish()).describe(
      'By how much the share of failed samples may rise, if the rise is no significant one; for `regression` without `by`.',
    ),
    group: z
      .object({
        key: metadataKeySchema.nullish().describe('The one that has the value when left out.'),
        value: groupValueSchema.describe('`null`: datapoints without the member.'),
      })
      .nullish()
      .describe('Looks at the datapoints alone that have this value in their `metadata`.'),
    by: metadataKeySchema.nullish().describe('Looks at each group of datapoints with the same value: all must hold.'),
    cluster_by: metadataKeySchema.nullish().describe('Clusters of intervals and tests, as statistics have them.'),
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
    const members = (['group', 'by'] as const).filter((member) => (gate[member] ?? undefined) !== undefined);
    if (members.length > 1) refuse('by', 'goes without group');
    else if (members[0] && isCostMetric(gate.metric)) refuse(members[0], `${gate.metric} is of the whole run`);
  })
  .meta({ id: 'EvalGate' });
export type Gate = z.output<typeof gateSchema>;

const foundSchema = z.union([z.number(), z.string()]).nullable();

/** A gate as a run shows it, with what was found. */
export const judgedGateSchema = z
  .object({
    metric: gateMetricSchema,
    scorer: z.string().nullable(),
    k: z.number().int().nullable(),
    op: z.enum(GATE_OPS).nullable(),
    value: z.number().nullable(),
    baseline_run_id: z.string().nullable(),
    group: z.object({ key: z.string(), value: groupValueSchema }).exactOptional().describe('Absent without a group.'),
    by: z.string().exactOptional().describe('Absent where the gate is not put to each group.'),
    cluster_by: z.string().exactOptional().describe('Absent where nothing is clustered.'),
    allow_different_scoring: z.literal(true).exactOptional().describe('Absent unless it was given.'),
    max_new_failures: z.number().exactOptional().describe('Absent where none was given.'),
    actual: foundSchema.describe(
      'What was found: a number, or the verdict of a `regression`; of several groups the worst. `null` before the end, and where there is no value.',
    ),
    passed: z.boolean().nullable().describe('`null` before the end; a gate without a value does not hold.'),
    failing: z
      .array(z.object({ value: z.unknown(), actual: foundSchema }))
      .exactOptional()
      .describe('With `by`: the first 20 groups that do not hold.'),
    reason: z.string().exactOptional().describe('Why it does not hold, where `actual` does not say it.'),
  })
  .meta({ id: 'JudgedGate' });
export type JudgedGate = z.output<typeof judgedGateSchema>;

export const gatesSchema = boundedList(gateSchema, GATES_MAX);

/** `POST /api/eval/:run_id/gates`. */
export const setGatesSchema = z
  .object({ gates: gatesSchema })
  .meta({ id: 'SetEvalGates', description: 'Takes the place of the gates of the run.' });
export type SetGates = z.output<typeof setGatesSchema>;
