import { z } from 'zod';
import { plainListSchema } from './datasets.js';
import { listAnswer } from './lists.js';
import {
  amountSchema,
  costSchema,
  countSchema,
  optionalMembers,
  settingNumber,
  unpricedCountSchema,
} from './values/numbers.js';
import { jsonMapSchema, jsonObjectSchema, jsonValueSchema, keySchema, labelSchema } from './values/text.js';
import { timestampTextSchema } from './values/timestamp.js';

/** Which model an LlmJudge run asks, and by which rubric; what is left out is the run's own. */
const judgeSchema = z.object({
  connection_id: z.string().nullish(),
  model: keySchema.min(1).nullish(),
  rubric: z.string().max(100_000).nullish(),
});

/** Model configuration of a run (docs/spec/evaluations.md#the-config-of-a-run). */
export const evalConfigSchema = z.object({
  connection_id: z.string(),
  model: keySchema.min(1).nullish().describe("The connection's `default_model` when left out."),
  system_prompt: z.string().max(1_000_000).nullish(),
  temperature: settingNumber(z.number().min(0).max(2).nullish()),
  max_tokens: settingNumber(z.number().int().min(1).max(10_000_000).nullish()),
  trace: z
    .boolean()
    .nullish()
    .describe('Whether the calls of each item are recorded as a trace; the setting `evals.trace` when left out.'),
  judge: optionalMembers(judgeSchema.nullish()).describe("For scoring by a model; what is left out is the run's own."),
});
export type EvalConfig = z.output<typeof evalConfigSchema>;

/** `POST /api/datasets/:id/eval`. */
export const startEvalSchema = z
  .object({
    name: labelSchema,
    config: evalConfigSchema,
    scoring: z
      .string()
      .describe('`ExactMatch`, `Contains`, `LlmJudge`, `None`, or the name of a loaded scoring plugin.'),
    scoring_config: jsonObjectSchema.nullish().describe("Checked by the scoring plugin's own schema."),
  })
  .meta({ id: 'StartEval' });
export type StartEval = z.output<typeof startEvalSchema>;

export const EVAL_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type EvalStatus = (typeof EVAL_STATUSES)[number];

export const RESULT_STATUSES = ['pending', 'running', 'completed', 'failed'] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

/** The configuration a run was started with; members left out are `null`, `model` is the one that is called. */
export const evalConfigAnswerSchema = z.object({
  connection_id: z.string(),
  model: z.string(),
  system_prompt: z.string().nullable(),
  temperature: z.number().nullable(),
  max_tokens: z.number().int().nullable(),
  trace: z.boolean(),
  judge: z
    .object({
      connection_id: z.string().nullable(),
      model: z.string().nullable(),
      rubric: z.string().nullable(),
    })
    .nullable(),
});
export type EvalConfigResource = z.output<typeof evalConfigAnswerSchema>;

const scoreSchema = z.number().min(0).max(1).nullable();

/** A run without its items, as lists show it. */
export const evalRunSummarySchema = z
  .object({
    id: z.string(),
    dataset_id: z.string(),
    dataset_version: countSchema.describe('Version of the dataset that the run works on.'),
    name: z.string(),
    status: z.enum(EVAL_STATUSES),
    progress: countSchema.describe('Items completed or failed; never goes back.'),
    total: countSchema,
    config: evalConfigAnswerSchema,
    scoring: z.string(),
    scoring_config: jsonMapSchema.nullable(),
    avg_score: scoreSchema.describe('Over the items that have a score.'),
    total_cost: costSchema.describe('Dollars; `null` when no item has a cost.'),
    unpriced_count: unpricedCountSchema,
    total_tokens: countSchema,
    failed_count: countSchema,
    judge_tokens: countSchema,
    judge_cost: costSchema,
    judge_unpriced_count: unpricedCountSchema,
    error: z.string().nullable().describe('Why the run failed, or that all of its items did and the commonest reason.'),
    created_at: timestampTextSchema,
    started_at: timestampTextSchema.nullable(),
    ended_at: timestampTextSchema.nullable(),
  })
  .meta({ id: 'EvalRunSummary', description: 'An eval run without its items.' });
export type EvalRunSummary = z.output<typeof evalRunSummarySchema>;

const traceIdSchema = z
  .string()
  .nullable()
  .describe('The trace of its calls, where the run was to make one; it may have been deleted since.');

export const resultItemSchema = z
  .object({
    datapoint_id: z.string(),
    input: jsonValueSchema.describe("The datapoint's input, or its messages, as the run's snapshot has them."),
    output: z.string().nullable(),
    expected: z.string().nullable().describe('Expected text; `null` when the datapoint has none.'),
    score: scoreSchema,
    score_reason: z.string().nullable(),
    latency_ms: amountSchema.nullable().describe('Of the successful attempt.'),
    tokens: countSchema.nullable(),
    cost: costSchema,
    status: z.enum(RESULT_STATUSES),
    error: z.string().nullable(),
    attempts: countSchema.describe("Model calls made for this item, the judge's not counted."),
    judge_model: z.string().nullable(),
    judge_prompt_hash: z
      .string()
      .nullable()
      .describe("SHA-256 of the judge's prompt and rubric: equal for runs that were judged alike."),
    judge_tokens: countSchema.nullable(),
    judge_cost: costSchema,
    trace_id: traceIdSchema,
  })
  .meta({ id: 'ResultItem' });
export type ResultItemResource = z.output<typeof resultItemSchema>;

export const evalRunSchema = evalRunSummarySchema
  .extend({ result_items: z.array(resultItemSchema) })
  .meta({ id: 'EvalRun', description: 'An eval run with its items.' });
export type EvalRunResource = z.output<typeof evalRunSchema>;

export const evalRunListSchema = listAnswer('EvalRunList', 'runs', evalRunSummarySchema);

/** Query of `GET /api/eval`: runs of all datasets. */
export const listEvalRunsSchema = plainListSchema.extend({
  dataset_id: z.string().optional(),
  status: z.enum(EVAL_STATUSES).optional(),
});
export type ListEvalRuns = z.output<typeof listEvalRunsSchema>;

/** Runs that one comparison takes (docs/spec/comparison.md#which-runs). */
export const COMPARED_RUNS_MAX = 4;

/** Query of `GET /api/datasets/:id/compare`: run ids, separated by commas. */
export const compareSchema = z.object({
  runs: z
    .string()
    .transform((text) => text.split(',').map((id) => id.trim()))
    .pipe(z.array(z.string().min(1, 'must be run ids, separated by commas')).max(COMPARED_RUNS_MAX))
    .describe(`Ids of 1 to ${COMPARED_RUNS_MAX} runs of the dataset, separated by commas.`),
});
export type Compare = z.output<typeof compareSchema>;

/** Answer of `GET /api/datasets/:id/compare`. */
export const evalComparisonSchema = z
  .object({
    dataset_id: z.string(),
    runs: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        avg_score: scoreSchema,
        total_cost: costSchema,
        unpriced_count: unpricedCountSchema,
      }),
    ),
    comparisons: z.array(
      z.object({
        datapoint_id: z.string(),
        input: jsonValueSchema,
        expected: z.string().nullable(),
        results: z
          .array(
            z.object({
              run_id: z.string(),
              output: z.string().nullable(),
              score: scoreSchema,
              latency_ms: amountSchema.nullable(),
              trace_id: traceIdSchema,
            }),
          )
          .describe('In the order of `runs`; all but `run_id` is `null` where the run did not have the datapoint.'),
      }),
    ),
  })
  .meta({ id: 'EvalComparison' });
export type EvalComparison = z.output<typeof evalComparisonSchema>;
