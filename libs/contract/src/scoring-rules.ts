import { z } from 'zod';
import { captureFiltersSchema } from './capture-rules.js';
import { judgeSchema } from './evals.js';
import { listAnswer } from './lists.js';
import { SCORE_SOURCES } from './scores.js';
import { boundedList, boundedMembers, OWN_MEMBERS_MAX, smallObject } from './values/bounded.js';
import { countSchema, numberAsDouble, settingNumber } from './values/numbers.js';
import { clientIdSchema, jsonObjectSchema, keySchema, labelSchema } from './values/text.js';
import { timestampSchema, timestampTextSchema, storedTimes, restoredTimes } from './values/timestamp.js';
import { EVAL_TAG, TRY_TAG } from './traces.js';

export const SCORING_TARGETS = ['span', 'trace', 'session'] as const;
export type ScoringTarget = (typeof SCORING_TARGETS)[number];
export const SCORING_TRIGGERS = ['ended', 'score'] as const;

/** How long a trace or a session is quiet before it is judged, unless its rule says otherwise, in ms. */
export const QUIET_MS: Readonly<Record<ScoringTarget, number>> = { span: 0, trace: 30_000, session: 1_800_000 };
const QUIET_MS_MAX = 86_400_000;

/** Tags of traces that a rule passes over, unless it says otherwise. */
export const EXCLUDED_TAGS: readonly string[] = [EVAL_TAG, TRY_TAG];
const EXCLUDED_TAGS_MAX = 64;

/** Rules that a project has at most: each looks at whatever ends. */
export const SCORING_RULES_MAX = 100;

const CONFIG_MAX = 250_000;

const BACKFILL_MAX = 100_000;

/** Filters of a capture rule, and tags that the trace must not have (docs/spec/online-scoring.md#filters). */
export const scoringFiltersSchema = boundedMembers(
  captureFiltersSchema
    .extend({
      exclude_tag: boundedList(keySchema, EXCLUDED_TAGS_MAX)
        .nullish()
        .describe('Tags that the trace must not have; `["eval", "try"]` when left out.'),
    })
    .meta({ id: 'ScoringFilters', description: 'All given must hold.' }),
  OWN_MEMBERS_MAX,
);
export type ScoringFilters = z.output<typeof scoringFiltersSchema>;

const onScoreSchema = z
  .object({
    name: keySchema.min(1),
    source: z.enum(SCORE_SOURCES).exclude(['judge']).nullish(),
    value: settingNumber(z.number().nullish()),
    label: keySchema.min(1).nullish(),
  })
  .meta({ id: 'OnScore', description: 'The score that has a rule judge: all members given must be its own.' });
export type OnScore = z.output<typeof onScoreSchema>;

const budgetSchema = settingNumber(z.number().min(0).nullish());
const rateSchema = z.number().min(0).max(1);

const ruleMembers = {
  name: labelSchema,
  enabled: z.boolean().nullish().describe('`true` when left out.'),
  target: z.enum(SCORING_TARGETS).nullish().describe('What is judged; `span` when left out.'),
  quiet_ms: settingNumber(z.number().int().min(0).max(QUIET_MS_MAX).nullish()).describe(
    'How long a trace or a session must have been quiet: 30 s and 30 min when left out.',
  ),
  filters: scoringFiltersSchema.nullish(),
  sample_rate: settingNumber(rateSchema.nullish()).describe('1 when left out.'),
  cohort: keySchema
    .nullish()
    .describe('Rules of one cohort look at the same traces; the id of the project when left out.'),
  trigger: z.enum(SCORING_TRIGGERS).nullish().describe('`ended` when left out.'),
  on_score: onScoreSchema.nullish().describe('Needed with the trigger `score`.'),
  scoring: z.string().describe('A scoring strategy that needs no expected value, see `scorers` of the capabilities.'),
  scoring_config: smallObject(CONFIG_MAX).nullish(),
  judge: numberAsDouble(judgeSchema.nullish()).describe('The model that is asked; needed by strategies that ask one.'),
  score_name: keySchema.min(1).nullish().describe('The name of the scores; that of the rule when left out.'),
  max_cost_usd_per_day: budgetSchema.describe('Dollars that its calls may cost in a day, UTC.'),
};

/** `POST /api/scoring-rules`. */
export const createScoringRuleSchema = z.object(ruleMembers).meta({ id: 'CreateScoringRule' });
export type CreateScoringRule = z.output<typeof createScoringRuleSchema>;

/** `PUT /api/scoring-rules/:id`: only members given change; objects are replaced whole. */
export const updateScoringRuleSchema = z
  .object({ ...ruleMembers, name: labelSchema.optional(), scoring: z.string().optional() })
  .meta({ id: 'UpdateScoringRule', description: 'Only members given change; objects are replaced whole.' });
export type UpdateScoringRule = z.output<typeof updateScoringRuleSchema>;

const skippedSchema = z.object({ budget: countSchema, overload: countSchema });
const countedMembers = {
  matched: countSchema.describe('What passed the filters; of traces and sessions those in the sample alone.'),
  sampled: countSchema,
  scored: countSchema,
  failed: countSchema,
  skipped: skippedSchema,
};

const scoringStateSchema = z
  .object({
    ...countedMembers,
    hours: z
      .array(z.object({ timestamp: timestampTextSchema, ...countedMembers }))
      .describe('The last 24 hours, oldest first; hours in which nothing happened are left out.'),
    pending: countSchema,
    oldest_pending_s: z.number().nullable().describe('Since when the oldest waits that is pending.'),
    lag_s: z.number().describe('For how long the oldest could have been judged; 0 when the rule keeps up.'),
  })
  .meta({ id: 'ScoringState', description: 'What the rule did within 24 hours, and what waits.' });
export type ScoringState = z.output<typeof scoringStateSchema>;

const backfillStateSchema = z
  .object({
    status: z.enum(['running', 'completed', 'stopped']).describe('`stopped`: its money is spent.'),
    since: timestampTextSchema.nullable(),
    until: timestampTextSchema,
    max: countSchema,
    max_cost_usd: z.number().nullable(),
    matched: countSchema,
    sampled: countSchema.describe('What is to be judged, without what has its score already.'),
    spent_usd: z.number(),
    started_at: timestampTextSchema,
  })
  .meta({ id: 'ScoringBackfill' });
export type ScoringBackfill = z.output<typeof backfillStateSchema>;

export const scoringRuleSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    target: z.enum(SCORING_TARGETS),
    quiet_ms: countSchema,
    filters: scoringFiltersSchema,
    sample_rate: rateSchema,
    cohort: z.string().nullable(),
    trigger: z.enum(SCORING_TRIGGERS),
    on_score: onScoreSchema.nullable(),
    scoring: z.string(),
    scoring_config: jsonObjectSchema.nullable(),
    judge: judgeSchema.nullable(),
    score_name: z.string(),
    max_cost_usd_per_day: z.number().nullable(),
    scored_count: countSchema,
    failed_count: countSchema,
    skipped_count: countSchema,
    spent_today: z.number().describe('Dollars, since midnight UTC.'),
    last_error: z.string().nullable(),
    state: scoringStateSchema,
    backfill: backfillStateSchema.nullable().describe('The last one.'),
    since: timestampTextSchema.describe('Since when it decides as it does: what ended before is for a backfill.'),
    ...storedTimes,
  })
  .meta({ id: 'ScoringRule' });
export type ScoringRuleResource = z.output<typeof scoringRuleSchema>;

export const scoringRuleListSchema = listAnswer('ScoringRuleList', 'scoring_rules', scoringRuleSchema);

/** A scoring rule as an export has it: what it did within a day is left out. */
export const exportedScoringRuleSchema = scoringRuleSchema
  .omit({ state: true, backfill: true, spent_today: true, last_error: true, since: true })
  .meta({ id: 'ExportedScoringRule' });

/** A scoring rule that comes back from an export. */
export const restoredScoringRuleSchema = z.object({
  id: clientIdSchema,
  ...ruleMembers,
  scored_count: countSchema,
  failed_count: countSchema,
  skipped_count: countSchema,
  ...restoredTimes,
});
export type RestoredScoringRule = z.output<typeof restoredScoringRuleSchema>;

const targetMembers = {
  span_id: z.string().optional(),
  trace_id: z.string().optional(),
  session_id: z.string().optional(),
};

/** Query of `GET /api/scoring-rules/:id/explain`: one of the three. */
export const explainScoringSchema = z.object(targetMembers);
/** Body of `POST /api/scoring-rules/:id/test`: one of the three. */
export const testScoringSchema = z.object(targetMembers).meta({ id: 'TestScoringRule' });
export type ScoringTargetIds = z.output<typeof explainScoringSchema>;

export const SCORING_DECISIONS = [
  ...(['scored', 'pending', 'sampled_out', 'filtered', 'budget', 'disabled', 'not_ended', 'unpriced'] as const),
  ...(['failed', 'overload'] as const),
] as const;

const attemptSchema = z.object({
  at: timestampTextSchema,
  error: z.string().nullable(),
  status: z.number().nullable(),
});
export type ScoringAttempt = z.output<typeof attemptSchema>;

/** Answer of `GET /api/scoring-rules/:id/explain` (docs/spec/online-scoring.md#why-something-was-not-scored). */
export const scoringExplanationSchema = z
  .object({
    decision: z.enum(SCORING_DECISIONS),
    failed_filter: z.string().nullable().describe('The filter that did not hold.'),
    hash: z.string().describe('By what the sample takes it or not, 16 hex digits.'),
    sample_rate: rateSchema,
    since: timestampTextSchema,
    attempts: z
      .array(attemptSchema)
      .describe('Those that failed, oldest first; `status` is the HTTP status of a refusal.'),
    next_try_at: timestampTextSchema.nullable(),
    score_id: z.string().nullable(),
  })
  .meta({ id: 'ScoringExplanation' });
export type ScoringExplanation = z.output<typeof scoringExplanationSchema>;

/** Answer of `POST /api/scoring-rules/:id/test`: nothing of it is stored. */
export const scoringTestSchema = z
  .object({
    prompt: z
      .array(z.object({ role: z.string(), content: z.unknown() }))
      .nullable()
      .describe('What the judge was asked.'),
    answer: z.string().nullable().describe('What it answered, as it came.'),
    score: z.object({ value: z.number().nullable(), comment: z.string().nullable() }).nullable(),
    error: z.string().nullable(),
    model: z.string().nullable(),
    tokens: countSchema.nullable(),
    cost: z.number().nullable().describe('Dollars.'),
  })
  .meta({ id: 'ScoringTest' });
export type ScoringTest = z.output<typeof scoringTestSchema>;

/** `POST /api/scoring-rules/:id/backfill`. */
export const backfillScoringSchema = z
  .object({
    since: timestampSchema.nullish().describe('Spans that started then or later; all when left out.'),
    until: timestampSchema.nullish().describe('Spans that started before; now when left out.'),
    max: settingNumber(z.number().int().min(1).max(BACKFILL_MAX).nullish()).describe('1,000 when left out.'),
    max_cost_usd: budgetSchema.describe('Dollars that its calls may cost.'),
    dry_run: z.boolean().nullish().describe('Counts, and writes nothing.'),
  })
  .meta({ id: 'BackfillScoring' });
export type BackfillScoring = z.output<typeof backfillScoringSchema>;

/** Answer of `POST /api/scoring-rules/:id/backfill`. */
export const backfillAnswerSchema = backfillStateSchema
  .extend({
    status: z.enum(['dry_run', 'running', 'completed', 'stopped']),
    estimated_cost_usd: z
      .number()
      .nullable()
      .describe('What the rule paid for a score so far, for each; `null`: not known.'),
  })
  .meta({ id: 'ScoringBackfillAnswer' });
export type BackfillAnswer = z.output<typeof backfillAnswerSchema>;
