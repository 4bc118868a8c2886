import { z } from 'zod';
import { isBaselineMetric, gatesSchema, type GateMetric } from './eval-gates.js';
import { startEvalSchema } from './eval-start.js';
import { evalConfigSchema, judgeSchema } from './evals.js';
import { listAnswer, paging } from './lists.js';
import { spanFiltersSchema, type SpanFilters } from './spans.js';
import { systemPromptSchema } from './tries.js';
import { countSchema, numberOf, numberAsDouble, settingNumber } from './values/numbers.js';
import { clientIdSchema, jsonMapSchema, keySchema, labelSchema } from './values/text.js';
import { timestampTextSchema } from './values/timestamp.js';

/** Spans that a replay takes at most, and unless it says how many. */
export const REPLAY_SPANS_MAX = 10_000;
export const REPLAY_SPANS = 1_000;

/** Spans that may match the filters of a replay. */
export const REPLAY_MATCHED_MAX = 100_000;

/** Why a span is left out of a replay (docs/spec/replay.md#spans-that-are-left-out). */
export const REPLAY_LEFT_OUT = [
  ...(['not_found', 'not_llm_call', 'running', 'failed', 'truncated', 'masked'] as const),
  ...(['no_messages', 'no_answer', 'too_deep'] as const),
] as const;
export type ReplayLeftOut = (typeof REPLAY_LEFT_OUT)[number];

const { shape: filterShape } = spanFiltersSchema;
/** In a body numbers are numbers, too. */
const textsOf = (filters: unknown): unknown =>
  typeof filters === 'object' && filters !== null && !Array.isArray(filters)
    ? Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(numberOf(value) ?? '') || value]))
    : filters;
const oneOrMore = z.union([z.string(), z.array(z.string())]).optional();
const describedFilters = spanFiltersSchema.extend({ ids: oneOrMore, tag: oneOrMore, score: oneOrMore });
const bodyFiltersSchema = z.preprocess(textsOf, z.strictObject(filterShape));

/** The filters of a replay, as lists take them. @param filters as they were sent, and checked. */
export const readReplayFilters = (filters: unknown): SpanFilters => bodyFiltersSchema.parse(filters);

const spansCountSchema = settingNumber(z.number().int().min(1).max(REPLAY_SPANS_MAX).nullish());

const sourceSchema = z
  .object({
    span_ids: z.array(keySchema).min(1).max(REPLAY_SPANS_MAX).nullish(),
    filters: z
      .unknown()
      .superRefine((filters, context) => {
        const { error } = filters === undefined ? {} : bodyFiltersSchema.safeParse(filters);
        for (const issue of error?.issues ?? []) context.addIssue({ ...issue } as never);
      })
      .optional()
      .meta({ describedBy: describedFilters })
      .describe(
        'The filters of `GET /api/spans`. LLM calls alone unless `kind` says otherwise, and none of evaluations.',
      ),
    sample: spansCountSchema.describe('So many of the spans, chosen by chance.'),
    seed: settingNumber(z.number().int().nullish()).describe('The same seed chooses the same spans; 0 when left out.'),
    max: spansCountSchema.describe(
      `At most so many, the newest ones; ${REPLAY_SPANS} when left out without \`sample\`.`,
    ),
  })
  .refine(({ span_ids: ids, filters }) => ((ids ?? undefined) === undefined) !== (filters === undefined), {
    path: ['span_ids'],
    error: 'either span_ids or filters is required, not both',
  })
  .meta({ id: 'ReplaySource' });

const { temperature, max_tokens, max_tokens_member } = evalConfigSchema.shape;

const changeSchema = z
  .object({
    connection_id: z.string(),
    model: keySchema
      .min(1)
      .nullish()
      .describe("Left out: the connection's `default_model`, or else the recorded one where all spans have the same."),
    system_prompt: systemPromptSchema.nullish(),
    parameters: z
      .strictObject({ temperature, max_tokens, max_tokens_member })
      .nullish()
      .describe('What is left out is as it was recorded.'),
  })
  .meta({ id: 'ReplayChange' });

const { scoring, scoring_config, scorers, repeats, max_cost_usd, pass_score, pass_mode, metadata } =
  startEvalSchema.shape;

/** Gates that compare do so with what was recorded, which has no id yet. */
const withRecorded = (gate: unknown): unknown => {
  const { metric, baseline_run_id: baseline } = Object(gate) as { metric?: GateMetric; baseline_run_id?: unknown };
  return metric && isBaselineMetric(metric) && (baseline ?? undefined) === undefined
    ? { ...(gate as object), baseline_run_id: RECORDED }
    : gate;
};

/** Stands for the id of the run of what was recorded. */
export const RECORDED = 'recorded';

/** `POST /api/replays` (docs/spec/replay.md#starting-a-replay). */
export const startReplaySchema = z
  .object({
    id: clientIdSchema.nullish(),
    name: labelSchema,
    source: sourceSchema,
    change: changeSchema,
    ...{ scoring, scoring_config, scorers },
    judge: numberAsDouble(judgeSchema.nullish()).describe('What is left out is that of `change`.'),
    ...{ repeats, max_cost_usd, pass_score, pass_mode },
    gates: z
      .preprocess((gates) => (Array.isArray(gates) ? gates.map(withRecorded) : gates), gatesSchema)
      .nullish()
      .describe('Gates that compare do so with what was recorded, unless they name another run.'),
    metadata,
  })
  .refine(({ scoring: one, scorers: several }) => ((one ?? undefined) === undefined) !== !several, {
    path: ['scoring'],
    error: 'either scoring or scorers is required, not both',
  })
  .meta({ id: 'StartReplay' });
export type StartReplay = z.output<typeof startReplaySchema>;

export const REPLAY_STATUSES = ['preparing', 'ready', 'failed'] as const;

/** A replay (docs/spec/replay.md#the-replay-object). */
export const replaySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(REPLAY_STATUSES).describe('`ready`: dataset and both runs are there.'),
    error: z.string().nullable().describe('Why it failed.'),
    dataset_id: z.string(),
    baseline_run_id: z.string().describe('The run whose results are those that were recorded.'),
    run_id: z.string(),
    source: jsonMapSchema.describe('What was sent; `change` likewise.'),
    change: jsonMapSchema,
    matched: countSchema.describe('Spans that were named, or that the filters take.'),
    taken: countSchema.describe('How many of them are in the sample, at most `max`.'),
    replayed: countSchema.describe('How many of these are replayed; the others are left out.'),
    left_out: z.array(
      z.object({
        reason: z.enum(REPLAY_LEFT_OUT),
        count: countSchema,
        span_ids: z.array(z.string()).describe('The first 100.'),
      }),
    ),
    created_at: timestampTextSchema,
  })
  .meta({ id: 'Replay' });
export type ReplayResource = z.output<typeof replaySchema>;

/** Query of `GET /api/replays`. */
export const listReplaysSchema = z.object({
  run_id: z.string().optional().describe('The replay of this run, be it the recorded one.'),
  ...paging(),
});
export type ListReplays = z.output<typeof listReplaysSchema>;

export const replayListSchema = listAnswer('ReplayList', 'replays', replaySchema);
