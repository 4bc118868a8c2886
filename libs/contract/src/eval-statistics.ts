import { z } from 'zod';
import {
  amountsSchema,
  INTERVAL_METHODS,
  intervalSchema,
  metadataKeySchema,
  rateSchema,
  REPEATS_MAX,
} from './eval-gates.js';
import { EVAL_STATUSES } from './evals.js';
import { queryBooleanSchema, queryNumberSchema, repeatable } from './lists.js';
import { amountSchema, countSchema } from './values/numbers.js';
import { jsonValueSchema } from './values/text.js';

const K_MAX = 16;
const GROUP_KEYS_MAX = 4;

export const FAILED_AS = ['excluded', 'zero'] as const;
export type FailedAs = (typeof FAILED_AS)[number];

/** Query of `GET /api/eval/:run_id/statistics` (docs/spec/eval-statistics.md). */
export const evalStatisticsQuerySchema = z.object({
  k: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(
      z
        .array(
          z
            .string()
            .regex(/^\d{1,3}$/, 'must be whole numbers, separated by commas')
            .transform(Number)
            .pipe(z.number().min(1).max(REPEATS_MAX)),
        )
        .max(K_MAX),
    )
    .optional()
    .describe(
      `Up to ${K_MAX} numbers up to \`repeats\`, separated by commas; powers of two and \`repeats\` when left out.`,
    ),
  cluster_by: metadataKeySchema
    .optional()
    .describe("A top-level member of the datapoints' `metadata`: those with the same value are one cluster."),
  group_by: repeatable(metadataKeySchema, GROUP_KEYS_MAX)
    .optional()
    .describe(`Such a member, up to ${GROUP_KEYS_MAX} times: statistics of the datapoints with the same values, too.`),
  failed_as: z.enum(FAILED_AS).default('excluded').describe('`zero`: a failed sample counts as 0.'),
  baseline: z.string().optional().describe('A run of the same dataset to compare with.'),
  alpha: queryNumberSchema
    .pipe(
      z
        .number()
        .min(0)
        .max(1)
        .refine((alpha) => alpha > 0 && alpha < 1, 'must be between 0 and 1'),
    )
    .default(0.05),
  allow_different_scoring: queryBooleanSchema
    .optional()
    .describe('Whether a run that was scored differently from its baseline gets a verdict all the same.'),
});
export type EvalStatisticsQuery = z.output<typeof evalStatisticsQuerySchema>;

const preferenceRateSchema = z.object({ rate: z.number(), ci: intervalSchema }).nullable();

/** What a scorer that compares with a baseline comes to (docs/spec/eval-statistics.md#preference). */
export const preferenceStatisticsSchema = z
  .object({
    wins: countSchema.describe("Datapoints whose mean score is above 0.5: the run's answer is preferred."),
    ties: countSchema,
    losses: countSchema,
    p_value: z.number().nullable().describe('The p-value of the exact sign test on wins and losses.'),
    judged: countSchema.describe('Datapoints that a judge was asked about: equal answers are a tie without it.'),
    first_preferred: preferenceRateSchema.describe(
      'The share of the calls with a preference that preferred the answer shown first: 0.5 without a position bias.',
    ),
    self_disagreement: preferenceRateSchema.describe('How often the two orders had different answers.'),
  })
  .meta({ id: 'PreferenceStatistics' });
export type PreferenceStatistics = z.output<typeof preferenceStatisticsSchema>;

export const scoreStatisticsSchema = z
  .object({
    datapoints: countSchema.describe('Datapoints with a score that counts.'),
    samples: countSchema.describe('Samples that count.'),
    clusters: countSchema,
    ...rateSchema.shape,
    mean: z.number().nullable().describe('Mean score, in which each datapoint counts once.'),
    within_sd: z.number().nullable().describe('Standard deviation between the samples of one datapoint.'),
    min: z.number().nullable(),
    max: z.number().nullable(),
    pass_rate: rateSchema,
    pass_k: z.array(
      z.object({
        k: z.number().int().min(1),
        datapoints: countSchema.describe('Datapoints with at least k samples.'),
        pass_at_k: z.number().nullable(),
        pass_at_k_se: z.number().nullable(),
        pass_hat_k: z.number().nullable(),
        pass_hat_k_se: z.number().nullable(),
      }),
    ),
    flaky_datapoints: countSchema,
    always_passed: countSchema,
    never_passed: countSchema,
    min_datapoint_pass_rate: z.number().nullable(),
    preference: preferenceStatisticsSchema
      .exactOptional()
      .describe('What a scorer says that compares with the baseline of the run; absent for others.'),
  })
  .meta({ id: 'ScoreStatistics' });
export type ScoreStatistics = z.output<typeof scoreStatisticsSchema>;

export const VERDICTS = ['better', 'worse', 'no_difference', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];

const comparedMembers = {
  pairs: countSchema,
  clusters: countSchema,
  diff: z.number().nullable(),
  se: z.number().nullable(),
  ci: z.object({ low: z.number(), high: z.number(), level: z.number(), method: z.enum(INTERVAL_METHODS) }).nullable(),
};

export const scoreComparisonSchema = z
  .object({
    ...comparedMembers,
    better: countSchema,
    worse: countSchema,
    same: countSchema,
    test: z.enum(['mcnemar_exact', 'paired_t', 'sign_exact']).nullable(),
    p_value: z.number().nullable(),
    verdict: z.enum(VERDICTS),
    detectable_diff: z
      .number()
      .nullable()
      .describe('The difference that a comparison of so many datapoints shows in four of five cases.'),
  })
  .meta({ id: 'ScoreComparison' });
export type ScoreComparison = z.output<typeof scoreComparisonSchema>;

const amountComparisonSchema = z.object({
  ...comparedMembers,
  baseline_mean: z.number().nullable().describe('That of the pairs in the baseline.'),
  test: z.literal('paired_t').nullable(),
  p_value: z.number().nullable(),
});

const groupScoreComparisonSchema = scoreComparisonSchema.extend({
  p_holm: z.number().nullable().describe('The p value corrected by Holm for all groups of the answer.'),
  verdict: z.enum(VERDICTS).describe('By `p_holm`.'),
});

const groupStatisticsSchema = scoreStatisticsSchema
  .extend({
    group: z
      .record(z.string(), jsonValueSchema)
      .describe('The value of each key; `null` where the datapoints have none.'),
    n: countSchema.describe('Datapoints with a score that counts.'),
    failed_samples: countSchema,
    scorers: z.record(z.string(), scoreStatisticsSchema),
    comparison: groupScoreComparisonSchema
      .extend({ scorers: z.record(z.string(), groupScoreComparisonSchema) })
      .nullable(),
  })
  .meta({ id: 'GroupStatistics' });
export type GroupStatistics = z.output<typeof groupStatisticsSchema>;

/** Answer of `GET /api/eval/:run_id/metadata`. */
export const evalMetadataSchema = z
  .object({
    keys: z.array(
      z.object({
        key: z.string(),
        datapoints: countSchema.describe('Datapoints that have it, `null` not counted.'),
        values: z.array(jsonValueSchema).describe('The first 200 values.'),
        has_more: z.boolean().describe('Whether there are other values, or too long ones: nothing is grouped by it.'),
      }),
    ),
  })
  .meta({ id: 'EvalMetadata' });
export type EvalMetadata = z.output<typeof evalMetadataSchema>;
/** Something in which a run differs from its baseline (docs/spec/comparison.md#what-differs-between-runs). */
const runDifferenceSchema = z
  .object({
    what: z.string().describe('The path of a member, such as `scorers.tone.judge.model` or `config.system_prompt`.'),
    run: jsonValueSchema,
    baseline: jsonValueSchema,
  })
  .meta({ id: 'RunDifference' });
export type RunDifference = z.output<typeof runDifferenceSchema>;

/** Whether scores of two runs mean the same (docs/spec/eval-statistics.md#runs-that-were-scored-differently). */
const comparableSchema = z.object({
  score: z.boolean().describe('Whether the combined scores were made alike.'),
  scorers: z
    .record(z.string(), z.boolean())
    .describe('Whether the scores of each scorer that both runs have can be compared, by its name.'),
  differences: z.array(runDifferenceSchema).describe('In what the two were scored differently.'),
});
export type Comparable = z.output<typeof comparableSchema>;

const failureComparisonSchema = z.object({
  pairs: countSchema.describe('Samples, by datapoint and repeat, that both runs have processed.'),
  run: countSchema.describe('Those of them that failed in the run.'),
  baseline: countSchema,
  new: countSchema.describe('Those that failed in the run alone.'),
  recovered: countSchema.describe('Those that failed in the baseline alone.'),
  diff: z.number().nullable().describe('The share of failed ones in the run less that in the baseline.'),
  test: z.literal('mcnemar_exact').nullable(),
  p_value: z.number().nullable(),
  verdict: z.enum(VERDICTS),
});
export type FailureComparison = z.output<typeof failureComparisonSchema>;

/** Answer of `GET /api/eval/:run_id/statistics`. */
export const evalStatisticsSchema = z
  .object({
    run_id: z.string(),
    status: z.enum(EVAL_STATUSES),
    repeats: countSchema,
    datapoints: countSchema,
    samples: countSchema.describe(
      'All samples of the run, including those that failed and those that are not processed yet.',
    ),
    failed_samples: countSchema,
    reused_samples: countSchema.describe('Samples whose answer an earlier run had: their calls cost nothing.'),
    pending_samples: countSchema,
    pass_score: z.number(),
    failed_as: z.enum(FAILED_AS),
    cluster_by: z.string().nullable(),
    score: scoreStatisticsSchema,
    scorers: z.record(z.string(), scoreStatisticsSchema),
    latency_ms: amountsSchema,
    cost: amountsSchema
      .extend({ total: amountSchema.nullable() })
      .describe('Dollars of samples: of the call and of its judges.'),
    call_cost: amountSchema.nullable().describe('What `cost.total` has of the calls; `judge_cost` is the rest.'),
    judge_cost: amountSchema.nullable(),
    tokens: countSchema,
    comparison: z
      .object({
        baseline_run_id: z.string(),
        alpha: z.number(),
        comparable: comparableSchema,
        differences: z
          .array(runDifferenceSchema)
          .describe('In what the two differ beside their scoring: model, prompt, parameters, the datapoints taken.'),
        pairs: countSchema,
        changed: countSchema.describe('Datapoints that differ between the two snapshots, and are left out.'),
        unpaired_run: countSchema,
        unpaired_baseline: countSchema,
        score: scoreComparisonSchema,
        scorers: z.record(z.string(), scoreComparisonSchema),
        failures: failureComparisonSchema,
        latency_ms: amountComparisonSchema,
        cost: amountComparisonSchema,
        summary: z.string().describe('The verdict in words, on quality, cost and speed.'),
      })
      .nullable(),
    group_by: z.array(z.string()).exactOptional().describe('Absent where it was not asked for, like `groups`.'),
    groups: z.array(groupStatisticsSchema).exactOptional(),
    correction: z
      .object({ method: z.literal('holm'), tests: countSchema.describe('Groups with a p value.') })
      .exactOptional()
      .describe('How `p_holm` of groups is corrected; absent without a comparison.'),
  })
  .meta({ id: 'EvalStatistics' });
export type EvalStatistics = z.output<typeof evalStatisticsSchema>;
