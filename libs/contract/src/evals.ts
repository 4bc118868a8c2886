import { z } from 'zod';
import { settingNumber } from './numbers.js';
import { jsonObjectSchema, keySchema, labelSchema } from './text.js';

/** Which model an LlmJudge run asks, and by which rubric; what is left out is the run's own. */
const judgeSchema = z.object({
  connection_id: z.string().nullish(),
  model: keySchema.min(1).nullish(),
  rubric: z.string().max(100_000).nullish(),
});

/** Model configuration of a run (service-spec "Eval run"). */
export const evalConfigSchema = z.object({
  connection_id: z.string(),
  /** The connection's `default_model` when left out. */
  model: keySchema.min(1).nullish(),
  system_prompt: z.string().max(1_000_000).nullish(),
  temperature: settingNumber(z.number().min(0).max(2).nullish()),
  max_tokens: settingNumber(z.number().int().min(1).max(10_000_000).nullish()),
  judge: judgeSchema.nullish(),
});
export type EvalConfig = z.output<typeof evalConfigSchema>;

/** `POST /api/datasets/:id/eval`. */
export const startEvalSchema = z.object({
  name: labelSchema,
  config: evalConfigSchema,
  /** Name of a loaded scoring plugin. */
  scoring: z.string(),
  /** Checked by the scoring plugin's own schema. */
  scoring_config: jsonObjectSchema.nullish(),
});
export type StartEval = z.output<typeof startEvalSchema>;

export const EVAL_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type EvalStatus = (typeof EVAL_STATUSES)[number];

export const RESULT_STATUSES = ['pending', 'running', 'completed', 'failed'] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

/** The configuration a run was started with; members left out are `null`, `model` is the one that is called. */
export interface EvalConfigResource {
  connection_id: string;
  model: string;
  system_prompt: string | null;
  temperature: number | null;
  max_tokens: number | null;
  judge: { connection_id: string | null; model: string | null; rubric: string | null } | null;
}

/** A run without its items, as lists show it. */
export interface EvalRunSummary {
  id: string;
  dataset_id: string;
  dataset_version: number;
  name: string;
  status: EvalStatus;
  /** Items completed or failed; never goes back. */
  progress: number;
  total: number;
  config: EvalConfigResource;
  scoring: string;
  scoring_config: Record<string, unknown> | null;
  /** Over the items that have a score. */
  avg_score: number | null;
  /** Dollars; `null` when no item has a cost. */
  total_cost: number | null;
  total_tokens: number;
  failed_count: number;
  judge_tokens: number;
  judge_cost: number | null;
  /** Why the run failed. */
  error: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

export interface EvalRunResource extends EvalRunSummary {
  result_items: ResultItemResource[];
}

export interface ResultItemResource {
  datapoint_id: string;
  /** The datapoint's input, or its messages, as the run's snapshot has them. */
  input: unknown;
  output: string | null;
  /** Expected text; `null` when the datapoint has none. */
  expected: string | null;
  score: number | null;
  score_reason: string | null;
  /** Of the successful attempt. */
  latency_ms: number | null;
  tokens: number | null;
  /** Dollars. */
  cost: number | null;
  status: ResultStatus;
  error: string | null;
  /** Model calls made for this item, the judge's not counted. */
  attempts: number;
  judge_model: string | null;
  /** SHA-256 of the judge's prompt and rubric, so that runs judged alike can be told. */
  judge_prompt_hash: string | null;
  judge_tokens: number | null;
  judge_cost: number | null;
}

/** Runs one comparison takes (service-spec "Limits"). */
export const COMPARED_RUNS_MAX = 4;

/** Query of `GET /api/datasets/:id/compare`: run ids, separated by commas. */
export const compareSchema = z.object({
  runs: z
    .string()
    .transform((text) => text.split(',').map((id) => id.trim()))
    .pipe(z.array(z.string().min(1, 'must be run ids, separated by commas')).max(COMPARED_RUNS_MAX)),
});
export type Compare = z.output<typeof compareSchema>;

/** Answer of `GET /api/datasets/:id/compare`. */
export interface EvalComparison {
  dataset_id: string;
  runs: { id: string; name: string; avg_score: number | null; total_cost: number | null }[];
  comparisons: {
    datapoint_id: string;
    input: unknown;
    expected: string | null;
    /** In the order of `runs`; all members but `run_id` are `null` where the run did not have the datapoint. */
    results: { run_id: string; output: string | null; score: number | null; latency_ms: number | null }[];
  }[];
}
