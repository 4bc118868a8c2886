import { z } from 'zod';
import { amountsSchema, intervalSchema, judgedGateSchema, rateSchema } from './eval-gates.js';
import { DATAPOINT_SOURCES, plainListSchema } from './datasets.js';
import { gathered, gatheringMembers, listAnswer, queryBooleanSchema } from './lists.js';
import {
  amountSchema,
  costSchema,
  countSchema,
  numberAsDouble,
  settingNumber,
  unpricedCountSchema,
} from './values/numbers.js';
import { jsonMapSchema, jsonValueSchema, keySchema, labelSchema } from './values/text.js';
import { timestampTextSchema } from './values/timestamp.js';

const temperatureSchema = settingNumber(z.number().min(0).max(2).nullish());

const FILTER_IDS_MAX = 10_000;

/** Which model a judge asks, and how; what is left out is the run's own. */
export const judgeSchema = z
  .object({
    connection_id: z.string().nullish(),
    model: keySchema.min(1).nullish(),
    rubric: z.string().max(100_000).nullish(),
    temperature: temperatureSchema.describe('0 when left out; `null`: judges are asked without one.'),
  })
  .meta({ id: 'JudgeChoice' });

/** How the format of OpenAI may limit the length of an answer. */
const MAX_TOKENS_MEMBERS = ['max_tokens', 'max_completion_tokens'] as const;

/** What becomes of the system messages of a datapoint where the run has a `system_prompt`. */
const SYSTEM_PROMPT_MODES = ['before', 'replace', 'prepend', 'append'] as const;

const PROMPT_MESSAGES_MAX = 100;

/** A message of a prompt, with variables such as `{{input}}` in its content. */
const promptMessageSchema = z
  .object({ role: z.enum(['system', 'user', 'assistant']), content: z.string().max(1_000_000) })
  .meta({ id: 'PromptMessage' });

const promptMembers = {
  system_prompt: z.string().max(1_000_000).nullish(),
  messages: z
    .array(promptMessageSchema)
    .min(1)
    .max(PROMPT_MESSAGES_MAX)
    .nullish()
    .describe(
      'The conversation that is sent, in the place of `system_prompt`: with `{{input}}`, `{{input.MEMBER}}`, `{{metadata.MEMBER}}`, and `{{messages}}` alone in a message for the messages of the datapoint.',
    ),
};

type GivenPrompt = { system_prompt?: unknown; messages?: unknown };

/** A prompt has one form alone. */
const ONE_PROMPT = {
  isMet: ({ system_prompt: text, messages }: GivenPrompt): boolean => !messages || (text ?? null) === null,
  fault: { path: ['system_prompt'], error: 'must be left out where there are messages' },
};

/** One of the prompts of runs that are started together. */
export const startPromptSchema = z
  .object({ name: labelSchema.nullish().describe('A part of the names of its runs.'), ...promptMembers })
  .refine(ONE_PROMPT.isMet, ONE_PROMPT.fault)
  .meta({ id: 'StartPrompt' });

/** Model configuration of a run (docs/spec/evaluations.md#the-config-of-a-run). */
export const evalConfigSchema = z
  .object({
    connection_id: z.string().nullish().describe('Required, unless the run is an external one, which has none.'),
    model: keySchema.min(1).nullish().describe("The connection's `default_model` when left out."),
    ...promptMembers,
    temperature: temperatureSchema,
    max_tokens: settingNumber(z.number().int().min(1).max(10_000_000).nullish()),
    max_tokens_member: z
      .enum(MAX_TOKENS_MEMBERS)
      .nullish()
      .describe("How providers in the format of OpenAI are sent `max_tokens`; the provider's own way when left out."),
    system_prompt_mode: z
      .enum(SYSTEM_PROMPT_MODES)
      .nullish()
      .describe(
        "`before`, when left out: a message before the datapoint's. `replace`: in the place of its system messages; `prepend` and `append`: in one message with its first or last of them.",
      ),
    recorded: z
      .boolean()
      .nullish()
      .describe(
        'Whether tools and parameters that a datapoint has in `metadata.recorded` are sent with it, as datapoints of replays have them.',
      ),
    trace: z
      .boolean()
      .nullish()
      .describe('Whether the calls of each item are recorded as a trace; the setting `evals.trace` when left out.'),
    judge: numberAsDouble(judgeSchema.nullish()).describe("For scoring by a model; what is left out is the run's own."),
  })
  .refine(ONE_PROMPT.isMet, ONE_PROMPT.fault)
  .refine(({ system_prompt_mode: mode, system_prompt: text }) => !mode || typeof text === 'string', {
    path: ['system_prompt_mode'],
    error: 'goes with system_prompt',
  })
  .meta({ id: 'StartEvalConfig' });
export type EvalConfig = z.output<typeof evalConfigSchema>;

export const EVAL_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type EvalStatus = (typeof EVAL_STATUSES)[number];

export const RESULT_STATUSES = ['pending', 'running', 'completed', 'failed'] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

const judgeAnswerSchema = z
  .object({
    connection_id: z.string().nullable(),
    model: z.string().nullable(),
    rubric: z.string().nullable(),
    temperature: z
      .number()
      .nullable()
      .exactOptional()
      .describe('Absent where none was given: 0. `null`: judges are asked without one.'),
  })
  .nullable();

/** The configuration a run was started with; members left out are `null`, `model` is the one that is called. */
export const evalConfigAnswerSchema = z.object({
  connection_id: z.string().nullable().describe('`null` for an external run.'),
  model: z.string().nullable().describe('`null` where an external run has none.'),
  system_prompt: z.string().nullable(),
  messages: z.array(promptMessageSchema).exactOptional().describe('Absent where none were given.'),
  temperature: z.number().nullable(),
  max_tokens: z.number().int().nullable(),
  max_tokens_member: z.enum(MAX_TOKENS_MEMBERS).exactOptional().describe('Absent where none was given.'),
  system_prompt_mode: z.enum(SYSTEM_PROMPT_MODES).exactOptional().describe('Absent where none was given.'),
  recorded: z.boolean().exactOptional().describe('Absent where it was not given.'),
  trace: z.boolean(),
  judge: judgeAnswerSchema,
});
export type EvalConfigResource = z.output<typeof evalConfigAnswerSchema>;

const scoreSchema = z.number().min(0).max(1).nullable();

export const EVAL_EXECUTIONS = ['server', 'external'] as const;
export type EvalExecution = (typeof EVAL_EXECUTIONS)[number];

/** When a sample with several scorers passes; the position is what the table holds. */
export const PASS_MODES = ['mean', 'all'] as const;
export type PassMode = (typeof PASS_MODES)[number];

export const CACHE_MODES = ['reuse'] as const;

/** Which datapoints of a dataset a run takes. */
export const evalFilterSchema = z
  .object({
    metadata: z
      .record(keySchema.min(1), z.union([z.string(), settingNumber(z.number()), z.boolean()]))
      .optional()
      .describe("Values by top-level member of the datapoints' `metadata`, all of which must be equal."),
    source: z.array(z.enum(DATAPOINT_SOURCES)).min(1).optional(),
    ids: z.array(keySchema).min(1).max(FILTER_IDS_MAX).optional(),
    limit: settingNumber(z.number().int().min(1)).optional().describe('At most so many, the oldest first.'),
    sample: settingNumber(z.number().int().min(1)).optional().describe('So many, chosen by chance.'),
    seed: settingNumber(z.number().int())
      .optional()
      .describe('Runs with the same seed choose the same datapoints; 0 when left out.'),
  })
  .meta({ id: 'EvalFilter' });
export type EvalFilter = z.output<typeof evalFilterSchema>;

export const STOP_REASONS = ['cancelled', 'cost_cap', 'idle'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export const runScorerSchema = z
  .object({
    name: z.string(),
    scoring: z.string(),
    scoring_config: jsonMapSchema.nullable(),
    judge: judgeAnswerSchema.describe("Its members take the place of those of the run's own judge."),
    weight: amountSchema.describe(
      'How much its score counts in the score of a sample; 0: it is shown, and does not count.',
    ),
    pass_score: z.number().min(0).max(1),
  })
  .meta({ id: 'EvalScorer' });
export type RunScorer = z.output<typeof runScorerSchema>;

/** What the samples of a completed run come to: it is kept with the run, so that lists need not look at them. */
export const runMeasuresSchema = z.object({
  pass_rate: rateSchema
    .nullable()
    .describe('Share of its datapoints that pass. `null` until the end, as the next three.'),
  latency_ms: amountsSchema.nullable().describe('Milliseconds of a sample.'),
  sample_cost: amountsSchema.nullable().describe('Dollars of a sample, of its call and its judges.'),
  scorer_scores: z
    .record(z.string(), rateSchema.extend({ pass_rate: rateSchema }))
    .nullable()
    .describe('The mean score of each scorer by its name, also of those that do not count in `avg_score`.'),
});
export type RunMeasures = z.output<typeof runMeasuresSchema>;

/** A run without its items, as lists show it. */
export const evalRunSummarySchema = z
  .object({
    id: z.string(),
    dataset_id: z.string(),
    dataset_version: countSchema.describe('Version of the dataset that the run works on.'),
    name: z.string(),
    status: z.enum(EVAL_STATUSES),
    progress: countSchema.describe('Items completed or failed, all samples of each; never goes back.'),
    total: countSchema,
    execution: z.enum(EVAL_EXECUTIONS),
    repeats: countSchema.describe('How often each datapoint is tried; one try is a sample.'),
    sample_progress: countSchema.describe('Samples completed or failed; never goes back.'),
    sample_total: countSchema,
    failed_samples: countSchema,
    config: evalConfigAnswerSchema,
    scoring: z.string().describe('The scoring of the first scorer.'),
    scoring_config: jsonMapSchema.nullable(),
    scorers: z.array(runScorerSchema),
    pass_score: z
      .number()
      .min(0)
      .max(1)
      .describe('What the score of a sample reaches that passes, in the mode `mean`.'),
    pass_mode: z
      .enum(PASS_MODES)
      .describe(
        '`all`: a sample passes when every scorer with a weight reaches its own pass score; `mean`: when its score reaches the pass score of the run.',
      ),
    filter: evalFilterSchema.nullable().describe('The datapoints that it takes; `null`: all of the dataset.'),
    cache: z.enum(CACHE_MODES).nullable().describe('`reuse`: answers of earlier runs are taken over.'),
    cache_days: countSchema.nullable().describe('How old such a run may be.'),
    reused_samples: countSchema.describe('Samples whose answer an earlier run had.'),
    retried_samples: countSchema.describe('Former attempts of samples that were tried again.'),
    retried_cost: costSchema.describe(
      'Dollars that former attempts and their judges cost, which the other costs leave out and the cap counts; `null` when there is none.',
    ),
    group_id: z
      .string()
      .nullable()
      .describe('What runs that were started together share; `null` for a run that was started alone.'),
    baseline_run_id: z
      .string()
      .nullable()
      .describe('The run with whose answers its scorers compare; it may have been deleted since.'),
    max_cost_usd: costSchema,
    metadata: z.record(z.string(), z.string()),
    gates: z.array(judgedGateSchema),
    passed: z
      .boolean()
      .nullable()
      .describe('Whether all gates hold; `null` without gates or before the end, `false` when cancelled or failed.'),
    stop_reason: z.enum(STOP_REASONS).nullable().describe('Why the run was cancelled.'),
    avg_score: scoreSchema.describe('Mean over the items that have a score.'),
    score_se: amountSchema.nullable().describe('Standard error of the mean score; `null` until the end.'),
    score_ci: intervalSchema.nullable().describe('95% interval of the mean score; `null` until the end.'),
    total_cost: costSchema.describe('Dollars of the calls and of the judges; `null` when nothing has a cost.'),
    call_cost: costSchema.describe('What `total_cost` has of the calls; `judge_cost` is the rest.'),
    unpriced_count: unpricedCountSchema,
    total_tokens: countSchema,
    failed_count: countSchema,
    judge_tokens: countSchema,
    judge_cost: costSchema,
    judge_unpriced_count: unpricedCountSchema,
    ...runMeasuresSchema.shape,
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

const judgeAttemptsSchema = countSchema
  .nullable()
  .describe('Calls of judges: one that answered in no usable way is asked once more. `null` where none was asked.');

const PREFERRED = ['baseline', 'output', 'neither'] as const;

/** The answer that a judge preferred in each of both orders. */
export const preferenceSchema = z
  .object({ baseline_first: z.enum(PREFERRED), output_first: z.enum(PREFERRED) })
  .meta({ id: 'Preference' });

/** What one scorer said of a sample, or of all samples of an item. */
export const scorerResultSchema = z
  .object({
    score: scoreSchema,
    reason: z.string().nullable(),
    error: z.string().nullable(),
    judge_model: z.string().nullable(),
    judge_prompt_hash: z.string().nullable(),
    judge_attempts: judgeAttemptsSchema.exactOptional(),
    judge_tokens: countSchema.nullable(),
    judge_cost: costSchema,
    preference: preferenceSchema
      .exactOptional()
      .describe(
        'The answer that the judge preferred in each order, for a scorer that compares with a baseline. Absent for an item with several samples, which have their own.',
      ),
  })
  .meta({ id: 'ScorerResult' });
export type ScorerResult = z.output<typeof scorerResultSchema>;

const scoresSchema = z
  .record(z.string(), scorerResultSchema)
  .describe(
    'Results by the name of the scorer; of an item with several samples their mean, and the first reason and error.',
  );

const passedSchema = z.boolean().nullable();

const scoreReasonSchema = z
  .string()
  .nullable()
  .describe("The scorer's, or `not scored` where there is an output that could not be scored; `error` says why.");

const lastMembers = {
  judge_attempts: judgeAttemptsSchema,
  judge_tokens: countSchema.nullable(),
  judge_cost: costSchema,
  trace_id: traceIdSchema,
  span_id: z.string().nullable().describe('The span that the caller named with an external result.'),
  metadata: jsonMapSchema.nullable().describe('What the caller sent as `metadata` of an external result.'),
  reused: z.boolean().describe('Whether the answer is that of an earlier run, taken over at no cost.'),
  reused_run_id: z.string().nullable().describe('The run that had the answer; it may have been deleted since.'),
};

/** One try of a datapoint. */
export const sampleSchema = z
  .object({
    repeat: countSchema.describe('From 0.'),
    status: z.enum(RESULT_STATUSES),
    output: z.string().nullable(),
    score: scoreSchema,
    passed: passedSchema.describe(
      'Whether it passes by the `pass_mode` of the run; `null` without a score that decides.',
    ),
    score_reason: scoreReasonSchema,
    scores: scoresSchema,
    latency_ms: amountSchema.nullable(),
    tokens: countSchema.nullable(),
    cost: costSchema,
    error: z.string().nullable(),
    attempts: countSchema,
    judge_model: z.string().nullable(),
    judge_prompt_hash: z.string().nullable(),
    ...lastMembers,
  })
  .meta({ id: 'EvalSample' });
export type SampleResource = z.output<typeof sampleSchema>;

/** What became of a sample before it was tried again. */
export const formerAttemptSchema = sampleSchema
  .extend({
    attempt: countSchema.describe('From 0, by sample.'),
    retried_at: timestampTextSchema.describe('When the sample was tried again.'),
  })
  .meta({ id: 'FormerAttempt' });

export const resultItemSchema = z
  .object({
    datapoint_id: z.string(),
    input: jsonValueSchema.describe("The datapoint's input, or its messages, as the run's snapshot has them."),
    output: z.string().nullable(),
    expected: z.string().nullable().describe('Expected text; `null` when the datapoint has none.'),
    score: scoreSchema.describe('The score of an item with several samples is the mean of those that have one.'),
    passed: passedSchema
      .exactOptional()
      .describe('Whether all of its samples that have a score pass; left out where `samples` are.'),
    score_reason: scoreReasonSchema,
    scores: scoresSchema,
    samples: z
      .array(sampleSchema)
      .nullable()
      .exactOptional()
      .describe('`null` where each datapoint is tried once; in lists with `include=samples`.'),
    worst_repeat: countSchema
      .nullable()
      .exactOptional()
      .describe('Where `samples` are listed: the one with the lowest score, else the first that failed.'),
    latency_ms: amountSchema
      .nullable()
      .describe('Milliseconds that the successful attempt took; of an item with several samples their mean.'),
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
    ...lastMembers,
    former_attempts: z
      .array(formerAttemptSchema)
      .exactOptional()
      .describe('What came of its samples before they were tried again; absent where none was.'),
  })
  .meta({ id: 'ResultItem' });
export type ResultItemResource = z.output<typeof resultItemSchema>;

export const evalRunSchema = evalRunSummarySchema
  .extend({ result_items: z.array(resultItemSchema) })
  .meta({ id: 'EvalRun', description: 'An eval run with its items.' });
export type EvalRunResource = z.output<typeof evalRunSchema>;

export const evalRunListSchema = listAnswer('EvalRunList', 'runs', evalRunSummarySchema);

const runFilters = {
  status: z.enum(EVAL_STATUSES).optional(),
  execution: z.enum(EVAL_EXECUTIONS).optional(),
  passed: queryBooleanSchema.optional().describe('Whether all gates hold.'),
  name: z.string().optional(),
  group_id: z.string().optional().describe('Runs that were started together.'),
  metadata: gathered('metadata', z.string()).describe(
    '`metadata.KEY=VALUE`: runs that have it; may come for several keys.',
  ),
};

/** Query of `GET /api/datasets/:id/eval`: runs of one dataset. */
export const listDatasetEvalsSchema = gatheringMembers(
  plainListSchema.extend({
    ...runFilters,
    baseline_for: z
      .string()
      .optional()
      .describe('Runs that this one can be compared with: completed, scored alike, executed alike, not all failed.'),
    allow_different_scoring: queryBooleanSchema
      .optional()
      .describe('With `baseline_for`: runs that were scored differently, too.'),
  }),
);
export type ListDatasetEvals = z.output<typeof listDatasetEvalsSchema>;

export const RUN_SORT_KEYS = ['created_at', 'name', 'score'] as const;
export type RunSortKey = (typeof RUN_SORT_KEYS)[number];

/** Query of `GET /api/eval`: runs of all datasets. */
export const listEvalRunsSchema = gatheringMembers(
  plainListSchema.extend({
    dataset_id: z.string().optional(),
    ...runFilters,
    sort_by: z.enum(RUN_SORT_KEYS).optional().describe('`created_at` unless given; runs without a score come last.'),
    sort_order: z.enum(['asc', 'desc']).optional().describe('`desc` unless given.'),
  }),
);
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
        call_cost: costSchema,
        judge_cost: costSchema,
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
