import { z } from 'zod';
import {
  CACHE_MODES,
  EVAL_EXECUTIONS,
  PASS_MODES,
  evalConfigSchema,
  evalFilterSchema,
  evalRunSchema,
  judgeSchema,
  startPromptSchema,
} from './evals.js';
import { gatesSchema, REPEATS_MAX } from './eval-gates.js';
import { countSchema, numberOf, numberAsDouble, settingNumber, amountSchema } from './values/numbers.js';
import { clientIdSchema, jsonObjectSchema, keySchema, labelSchema, nameSchema } from './values/text.js';
import { boundedList, boundedMembers } from './values/bounded.js';

export const SCORERS_MAX = 16;

const METADATA_MAX = 64;

/** Days back that answers are taken over from, unless the request says otherwise. */
export const CACHE_DAYS = 30;

/** The reserved name of the scorer whose scores the caller of an external run gives. */
export const EXTERNAL_SCORER = 'External';

const SCORING =
  'The name of a scorer that is built in (`ExactMatch`, `LlmJudge`, `Regex` …) or loaded: `GET /api/capabilities` lists them.';
const SCORING_CONFIG = "Checked by the scoring plugin's own schema.";

const passScoreSchema = settingNumber(z.number().min(0).max(1).nullish());

const capSchema = settingNumber(
  z
    .number()
    .min(0)
    .refine((dollars) => dollars > 0, 'must be more than 0')
    .nullish(),
);

const scorerSchema = z
  .object({
    name: z
      .string()
      .regex(/^(?!__proto__$)[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 characters of A-Z, a-z, 0-9, "_", "." and "-"')
      .nullish()
      .describe('`scoring` when left out; unique in the run.'),
    scoring: z.string().describe(SCORING),
    scoring_config: jsonObjectSchema.nullish().describe(SCORING_CONFIG),
    judge: numberAsDouble(judgeSchema.nullish()).describe('Its members take the place of those of `config.judge`.'),
    weight: settingNumber(z.number().min(0).nullish()).describe('1 when left out.'),
    pass_score: passScoreSchema.describe(
      'Left out: that of the run where one is given, else 0.5 for scorers whose scores are grades, such as `LlmJudge`, and 1 for others.',
    ),
  })
  .meta({ id: 'StartEvalScorer' });

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const runMetadataSchema = z.preprocess(
  (texts, context) => {
    // An object of zod leaves this key out without a word.
    if (isObject(texts) && Object.hasOwn(texts, '__proto__')) {
      context.addIssue({ code: 'custom', path: ['__proto__'], message: 'is not taken as a key' });
    }
    // A number that is kept as its source text would pass for an empty object.
    return numberOf(texts) ?? texts;
  },
  z
    .record(keySchema.min(1), nameSchema)
    .refine((texts) => Object.keys(texts).length <= METADATA_MAX, `must have at most ${METADATA_MAX} entries`),
);

const isExternal = (body: unknown): boolean => isObject(body) && body['execution'] === 'external';
const has = (body: unknown, member: string): boolean => isObject(body) && body[member] !== undefined;

/** A condition on several members that is checked whatever else is wrong with them, so that all faults are reported at once. */
const needs = (path: string[], error: string, isMet: (body: unknown) => boolean) =>
  [isMet, { path, error, when: ({ value }: { value: unknown }) => isObject(value) }] as const;

const HAS_SCORING = needs(['scoring'], 'is required', (body) => has(body, 'scoring') || has(body, 'scorers'));
const HAS_ONE_SCORING = needs(
  ['scorers'],
  'must be left out where scoring or scoring_config is given',
  (body) => !listsScorers(body) || !(has(body, 'scoring') || has(body, 'scoring_config')),
);

/** `POST /api/datasets/:id/eval`. */
export const startEvalSchema = z
  .object({
    id: clientIdSchema.nullish(),
    name: labelSchema,
    config: evalConfigSchema.optional().describe('Required, unless the run is an external one.'),
    scoring: z.string().optional().describe(`${SCORING} Required, unless there are \`scorers\`.`),
    scoring_config: jsonObjectSchema.nullish().describe(SCORING_CONFIG),
    scorers: z
      .array(scorerSchema)
      .min(1)
      .max(SCORERS_MAX)
      .nullish()
      .describe('Several scorers, in the place of `scoring` and `scoring_config`.'),
    execution: z
      .enum(EVAL_EXECUTIONS)
      .nullish()
      .describe('`external`: the caller executes, and sends results. `server` when left out.'),
    repeats: settingNumber(z.number().int().min(1).max(REPEATS_MAX).nullish()).describe(
      'How often each datapoint is tried; 1 when left out.',
    ),
    pass_score: passScoreSchema.describe(
      'That of scorers which have none of their own, and of the score in the mode `mean`. Left out: that of the scorer, where one alone counts, else 1.',
    ),
    pass_mode: z
      .enum(PASS_MODES)
      .nullish()
      .describe(
        '`all`, when left out: a sample passes when every scorer with a weight reaches its own pass score. `mean`: when its score reaches `pass_score`.',
      ),
    filter: evalFilterSchema.nullish().describe('The datapoints to take; all of the dataset when left out.'),
    cache: z
      .enum(CACHE_MODES)
      .nullish()
      .describe('`reuse`: a sample whose call and datapoint are those of an earlier run takes its answer, at no cost.'),
    cache_days: settingNumber(z.number().int().min(1).max(3650).nullish()).describe(
      `How old such a run may be; ${CACHE_DAYS} when left out.`,
    ),
    baseline_run_id: keySchema
      .nullish()
      .describe("A run of the dataset with whose answers scorers such as `Preference` compare this run's."),
    max_cost_usd: capSchema.describe('Dollars that the calls of the run and its judges may cost.'),
    gates: gatesSchema.nullish(),
    allow_unscored: z
      .boolean()
      .nullish()
      .describe('Starts the run also where no datapoint has the expected value that a scorer needs.'),
    metadata: runMetadataSchema.nullish().describe('Texts by key: commit, branch …'),
  })
  .refine(...needs(['config'], 'is required', (body) => isExternal(body) || has(body, 'config')))
  .refine(
    ...needs(['config', 'connection_id'], 'is required', (body) => {
      const config = isObject(body) ? body['config'] : undefined;
      return isExternal(body) || !isObject(config) || typeof config['connection_id'] === 'string';
    }),
  )
  .refine(...HAS_SCORING)
  .refine(...HAS_ONE_SCORING)
  .meta({ id: 'StartEval' });
export type StartEval = z.output<typeof startEvalSchema>;

/** Runs that are started together at most. */
export const GROUP_RUNS_MAX = 32;

const startModelSchema = z
  .union([
    keySchema.min(1),
    z
      .object({ connection_id: z.string().nullish(), model: keySchema.min(1).nullish() })
      .meta({ id: 'StartModel', description: "Without a `model` the connection's default model." }),
  ])
  .describe('A model by its name, or of another connection than that of `config`.');

const listOf = (body: unknown, member: string): unknown[] => {
  const list = isObject(body) ? body[member] : undefined;
  return Array.isArray(list) ? list : [];
};

/** `POST /api/datasets/:id/eval/matrix`. */
export const startMatrixSchema = z
  .object({
    ...startEvalSchema.shape,
    id: clientIdSchema
      .max(100, 'must be at most 100 characters for several runs')
      .nullish()
      .describe('Of the group; the same request again answers the same runs.'),
    name: labelSchema.describe('The beginning of the name of each run; its model and its prompt follow.'),
    models: z.array(startModelSchema).min(1).max(GROUP_RUNS_MAX).nullish().describe('That of `config` when left out.'),
    prompts: z
      .array(startPromptSchema)
      .min(1)
      .max(GROUP_RUNS_MAX)
      .nullish()
      .describe('Each takes the place of `system_prompt` and `messages` of `config`; those of `config` when left out.'),
  })
  .refine(
    ...needs(
      ['models'],
      'is required, or prompts',
      (body) => listOf(body, 'models').length + listOf(body, 'prompts').length > 0,
    ),
  )
  .refine(
    ...needs(
      ['models'],
      `make more than ${GROUP_RUNS_MAX} runs with the prompts`,
      (body) => listOf(body, 'models').length * listOf(body, 'prompts').length <= GROUP_RUNS_MAX,
    ),
  )
  .refine(
    ...needs(['config', 'connection_id'], 'is required', (body) => {
      const config = isObject(body) ? body['config'] : undefined;
      const models = listOf(body, 'models');
      const isOwn = (model: unknown): boolean => isObject(model) && typeof model['connection_id'] === 'string';
      const areOwn = models.length > 0 && models.every(isOwn);
      return isExternal(body) || areOwn || (isObject(config) && typeof config['connection_id'] === 'string');
    }),
  )
  .refine(...HAS_SCORING)
  .refine(...HAS_ONE_SCORING)
  .meta({ id: 'StartMatrix' });
export type StartMatrix = z.output<typeof startMatrixSchema>;

/** `POST /api/eval/:run_id/retry`. */
export const retryEvalSchema = z
  .object({
    what: z
      .enum(['failed', 'pending', 'unscored'])
      .describe(
        '`failed`: samples that failed, called again; `pending`: those that were never called; `unscored`: those whose output has no score, the output scored again.',
      ),
    max_cost_usd: capSchema.describe('Another cost cap for a run that has one; `null` lifts it.'),
  })
  .meta({ id: 'RetryEval' });
export type RetryEval = z.output<typeof retryEvalSchema>;

/** What the caller of a run should know before it goes on. */
const startWarningSchema = z.object({
  code: z.literal('missing_expected').describe('A scorer needs an expected value, which some datapoints do not have.'),
  count: countSchema.describe('Datapoints without one: they are not scored.'),
  total: countSchema.describe('Datapoints of the run.'),
});

/** Answer of `POST /api/datasets/:id/eval`. */
export const startedEvalSchema = evalRunSchema
  .extend({ warnings: z.array(startWarningSchema).exactOptional().describe('Left out when there are none.') })
  .meta({ id: 'StartedEval', description: 'An eval run as it was started, without items.' });
export type StartedEval = z.output<typeof startedEvalSchema>;

const listsScorers = (body: unknown): boolean => isObject(body) && (body['scorers'] ?? undefined) !== undefined;

/** Answer of `POST /api/datasets/:id/eval/matrix`. */
export const startedMatrixSchema = z
  .object({
    group_id: z.string().describe('That of all of them: lists take it as a filter.'),
    runs: z.array(startedEvalSchema).describe('Each model with each prompt, in the order of the request.'),
  })
  .meta({ id: 'StartedMatrix' });
export type StartedMatrix = z.output<typeof startedMatrixSchema>;

export const EXTERNAL_RESULTS_MAX = 1_000;

const scoreSchema = settingNumber(z.number().min(0).max(1));

const givenScoreSchema = z.union([scoreSchema, z.object({ score: scoreSchema, reason: z.string().nullish() })]);

/** One result of an external run; what is wrong with it rejects it alone. */
export const externalResultSchema = z
  .object({
    datapoint_id: keySchema,
    repeat: settingNumber(
      z
        .number()
        .int()
        .min(0)
        .max(REPEATS_MAX - 1)
        .nullish(),
    ).describe('0 when left out.'),
    output: z.string().nullish(),
    error: z.string().nullish(),
    scores: boundedMembers(z.record(z.string(), givenScoreSchema), SCORERS_MAX)
      .nullish()
      .describe('Scores by the name of the `External` scorer.'),
    latency_ms: settingNumber(amountSchema.nullish()),
    input_tokens: settingNumber(countSchema.nullish()),
    output_tokens: settingNumber(countSchema.nullish()),
    cost: settingNumber(amountSchema.nullish()).describe('Dollars; priced from model and tokens when left out.'),
    trace_id: keySchema.nullish(),
    span_id: keySchema.nullish(),
    metadata: jsonObjectSchema.nullish(),
  })
  .refine(({ output, error }) => ((output ?? null) === null) !== ((error ?? null) === null), {
    path: ['output'],
    error: 'either output or error is required, not both',
  })
  .meta({ id: 'ExternalResult' });
export type ExternalResult = z.output<typeof externalResultSchema>;

/** `POST /api/eval/:run_id/results`. */
export const addResultsSchema = z
  .object({
    results: boundedList(z.unknown().meta({ describedBy: externalResultSchema }), EXTERNAL_RESULTS_MAX, 1),
    on_conflict: z
      .enum(['reject', 'replace'])
      .nullish()
      .describe('`replace`: takes the place of a result that is there. `reject` when left out.'),
  })
  .meta({ id: 'AddEvalResults' });
export type AddResults = z.output<typeof addResultsSchema>;

/** Answer of `POST /api/eval/:run_id/results`. */
export const addedResultsSchema = z
  .object({
    accepted: countSchema.describe('Results taken, including those that were there already.'),
    rejected: z.array(z.object({ index: countSchema, code: z.string(), message: z.string() })),
  })
  .meta({ id: 'AddedEvalResults' });
export type AddedResults = z.output<typeof addedResultsSchema>;
