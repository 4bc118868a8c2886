import { z } from 'zod';
import { INTERVAL_METHODS, judgedGateSchema, REPEATS_MAX } from './eval-gates.js';
import {
  EVAL_EXECUTIONS,
  EVAL_STATUSES,
  CACHE_MODES,
  evalConfigAnswerSchema,
  evalFilterSchema,
  PASS_MODES,
  preferenceSchema,
  runMeasuresSchema,
  runScorerSchema,
  STOP_REASONS,
} from './evals.js';
import { amountSchema, countSchema, settingNumber } from './values/numbers.js';
import { clientIdSchema, jsonObjectSchema, keySchema, labelSchema, nameSchema } from './values/text.js';
import { timestampSchema } from './values/timestamp.js';

const ratio = settingNumber(z.number().min(0).max(1));
const score = settingNumber(z.number().min(0).max(1).nullable());
const amount = settingNumber(amountSchema);
const cost = settingNumber(amountSchema.nullable());
const number = settingNumber(z.number());

const restoredScorerSchema = runScorerSchema.extend({
  scoring_config: jsonObjectSchema.nullable(),
  weight: amount,
  pass_score: ratio,
});

const restoredGateSchema = judgedGateSchema.extend({
  value: settingNumber(z.number().nullable()),
  actual: z.union([number, z.string()]).nullable(),
  failing: z.array(z.object({ value: z.unknown(), actual: z.union([number, z.string()]).nullable() })).exactOptional(),
  max_new_failures: ratio.exactOptional(),
});

const restoredIntervalSchema = z.object({
  low: number,
  high: number,
  level: z.literal(0.95),
  method: z.enum(INTERVAL_METHODS),
});

/** Numbers that a file says with all their digits, as doubles. */
const plain = <T extends z.ZodType>(schema: T) => z.preprocess((value) => JSON.parse(JSON.stringify(value)), schema);

/** An eval run of an import; what files of earlier versions do not have follows from the rest. */
export const restoredRunSchema = z.object({
  id: clientIdSchema,
  dataset_id: clientIdSchema,
  dataset_version: countSchema,
  name: labelSchema,
  status: z.enum(EVAL_STATUSES),
  progress: countSchema,
  total: countSchema,
  execution: z.enum(EVAL_EXECUTIONS).default('server'),
  repeats: countSchema.min(1).max(REPEATS_MAX).default(1),
  sample_progress: countSchema.optional(),
  failed_samples: countSchema.optional(),
  config: evalConfigAnswerSchema.extend({ trace: z.boolean().default(false) }),
  scoring: nameSchema,
  scoring_config: jsonObjectSchema.nullable(),
  scorers: z.array(restoredScorerSchema).min(1).optional(),
  pass_score: ratio.default(1),
  pass_mode: z.enum(PASS_MODES).default('mean'),
  filter: evalFilterSchema.nullable().default(null),
  cache: z.enum(CACHE_MODES).nullable().default(null),
  cache_days: countSchema.nullable().default(null),
  reused_samples: countSchema.default(0),
  retried_samples: countSchema.default(0),
  retried_cost: cost.default(null),
  group_id: clientIdSchema.nullable().default(null),
  baseline_run_id: clientIdSchema.nullable().default(null),
  max_cost_usd: cost.default(null),
  metadata: z.record(keySchema, nameSchema).default({}),
  gates: z.array(restoredGateSchema).default([]),
  passed: z.boolean().nullable().default(null),
  stop_reason: z.enum(STOP_REASONS).nullable().optional(),
  score_sum: amount,
  score_count: countSchema,
  score_se: cost.default(null),
  score_ci: restoredIntervalSchema.nullable().default(null),
  pass_rate: plain(runMeasuresSchema.shape.pass_rate).default(null),
  latency_ms: plain(runMeasuresSchema.shape.latency_ms).default(null),
  sample_cost: plain(runMeasuresSchema.shape.sample_cost).default(null),
  scorer_scores: plain(runMeasuresSchema.shape.scorer_scores).default(null),
  total_cost: cost,
  /** Absent where an older version counted in `total_cost` the calls alone. */
  call_cost: cost.optional(),
  cost_count: countSchema,
  unpriced_count: countSchema.default(0),
  total_tokens: countSchema,
  failed_count: countSchema,
  judge_tokens: countSchema,
  judge_cost: cost,
  judge_cost_count: countSchema,
  judge_unpriced_count: countSchema.default(0),
  error: z.string().nullable(),
  created_at: timestampSchema,
  started_at: timestampSchema.nullable(),
  ended_at: timestampSchema.nullable(),
});
export type RestoredRun = z.output<typeof restoredRunSchema>;

const restoredScorerResultSchema = z.object({
  score,
  reason: z.string().nullable(),
  error: z.string().nullable(),
  judge_model: keySchema.nullable(),
  judge_prompt_hash: keySchema.nullable(),
  judge_attempts: countSchema.nullable().exactOptional(),
  judge_tokens: countSchema.nullable(),
  judge_cost: cost,
  preference: preferenceSchema.exactOptional(),
});

export const restoredResultSchema = z.object({
  run_id: clientIdSchema,
  datapoint_id: clientIdSchema,
  output: z.string().nullable(),
  ...restoredScorerResultSchema.omit({ reason: true, preference: true }).shape,
  score_reason: z.string().nullable(),
  scores: z.record(z.string(), restoredScorerResultSchema).nullable().default(null),
  latency_ms: countSchema.nullable(),
  tokens: countSchema.nullable(),
  cost,
  status: z.enum(['completed', 'failed']),
  attempts: countSchema,
  judge_attempts: countSchema.nullable().default(null),
  trace_id: keySchema.nullable().default(null),
  span_id: keySchema.nullable().default(null),
  metadata: jsonObjectSchema.nullable().default(null),
  reused_run_id: keySchema.nullable().default(null),
});
export type RestoredResult = z.output<typeof restoredResultSchema>;

export const restoredSampleSchema = restoredResultSchema.extend({
  repeat: countSchema.max(REPEATS_MAX - 1),
});
export type RestoredSample = z.output<typeof restoredSampleSchema>;

export const restoredAttemptSchema = restoredSampleSchema.extend({
  attempt: countSchema,
  retried_at: timestampSchema,
  output_kept: z.boolean(),
});
export type RestoredAttempt = z.output<typeof restoredAttemptSchema>;
