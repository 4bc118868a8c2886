import { z } from 'zod';
import { listAnswer, queryNumberSchema, repeatable, paging } from './lists.js';
import { boundedList, smallObject } from './values/bounded.js';
import { countSchema, settingNumber } from './values/numbers.js';
import { clientIdSchema, jsonMapSchema, keySchema, nameSchema, storableSchema } from './values/text.js';
import { timestampSchema, timestampTextSchema, storedTimes, restoredTimes } from './values/timestamp.js';

export const SCORE_SOURCES = ['human', 'code', 'judge', 'end_user'] as const;
export type ScoreSource = (typeof SCORE_SOURCES)[number];

/** Longest comment of a score, in UTF-16 units. */
export const SCORE_COMMENT_MAX = 10_000;

/** Earlier values that a score keeps (docs/spec/scores.md#changing-a-score). */
export const SCORE_REVISIONS_MAX = 5;

const SIZE_MAX = 1e100;
/** A number whose square a database holds, and sums of such: others would stop every write that counts them. */
export const scoreValueSchema = z
  .number()
  .refine(
    (value) => value === 0 || (Math.abs(value) <= SIZE_MAX && Math.abs(value) >= 1 / SIZE_MAX),
    'must be 0, or from 1e-100 to 1e100, or the negative of such a number',
  );

const valueMembers = {
  value: settingNumber(scoreValueSchema.nullish()),
  label: keySchema.min(1).nullish(),
  comment: storableSchema(SCORE_COMMENT_MAX).nullish(),
};

const METADATA_MAX = 100_000;

const otherMembers = {
  ...valueMembers,
  source: z.enum(SCORE_SOURCES).nullish().describe('`code` when left out.'),
  author: keySchema.min(1).nullish().describe("The caller's identity when left out."),
  metadata: smallObject(METADATA_MAX).nullish(),
};

/** What one score is about (docs/spec/scores.md#what-a-score-is-about). */
const targetMembers = {
  trace_id: keySchema.nullish(),
  span_id: keySchema.nullish().describe('Its trace is found; a span that has not arrived yet needs `trace_id` too.'),
  session_id: keySchema.nullish(),
};

const createMembers = { name: keySchema.min(1), ...targetMembers, ...otherMembers };

/** Refuses a score without a value, and one that is about nothing or about two things. */
function checkScore(score: z.output<z.ZodObject<typeof createMembers>>, context: z.RefinementCtx): void {
  const { trace_id: trace, span_id: span, session_id: session, value, label, comment } = score;
  const isGiven = (member: unknown): boolean => member !== null && member !== undefined;
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (![value, label, comment].some(isGiven)) refuse('value', 'is needed, or a label or a comment');
  if (isGiven(session) && (isGiven(trace) || isGiven(span))) {
    refuse('session_id', 'must not stand beside trace_id or span_id: a score is about one thing');
  } else if (![trace, span, session].some(isGiven)) {
    refuse('trace_id', 'is needed, or span_id or session_id: a score is about something');
  }
}

/** `POST /api/scores`. */
export const createScoreSchema = z
  .object({ id: clientIdSchema.nullish(), ...createMembers })
  .superRefine(checkScore)
  .meta({ id: 'CreateScore', description: 'One of value, label and comment, about one trace, span or session.' });
export type CreateScore = z.output<typeof createScoreSchema>;

/** A score of an ingest: an upsert by its id, members given replace. */
export const ingestScoreSchema = z
  .object({ id: clientIdSchema, ...createMembers })
  .superRefine(checkScore)
  .meta({ id: 'IngestScore' });
export type IngestScore = z.output<typeof ingestScoreSchema>;

/** `PUT /api/scores/:id`: only members given change. */
export const updateScoreSchema = z.object(otherMembers).omit({ source: true }).meta({ id: 'UpdateScore' });
export type UpdateScore = z.output<typeof updateScoreSchema>;

const storedValue = {
  value: z.number().nullable(),
  label: z.string().nullable(),
  comment: z.string().nullable(),
  author: z.string(),
};

const scoreRevisionSchema = z.object({ ...storedValue, at: timestampTextSchema.describe('When it was replaced.') });

export const scoreSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    ...storedValue,
    source: z.enum(SCORE_SOURCES),
    trace_id: z.string().nullable(),
    span_id: z.string().nullable(),
    session_id: z.string().nullable(),
    rule_id: z.string().nullable().describe('The scoring rule that made it.'),
    queue_item_id: z.string().nullable().describe('The item of the review queue that it was given in.'),
    config: z.string().nullable().describe('The name of the definition that it fits.'),
    metadata: jsonMapSchema,
    revisions: z
      .array(scoreRevisionSchema)
      .describe(`Its earlier values, oldest first; the last ${SCORE_REVISIONS_MAX}.`),
    ...storedTimes,
  })
  .meta({ id: 'Score' });
export type ScoreResource = z.output<typeof scoreSchema>;
export type ScoreRevision = ScoreResource['revisions'][number];

/** Scores of a trace that its page has; `GET /api/scores` lists all of them. */
export const SCORES_OF_TRACE_MAX = 1_000;

/** What the scores of a trace, span or session come to, by their names: with `include=scores`. */
export const scoreSumsSchema = z
  .record(
    z.string(),
    z.object({
      count: countSchema,
      mean: z.number().nullable().describe('The mean of the values; `null` where no score has one.'),
      labels: z.record(z.string(), countSchema).describe('How often each label was given.'),
    }),
  )
  .meta({ id: 'ScoreSums' });
export type ScoreSums = z.output<typeof scoreSumsSchema>;

/** What a filter takes of the scores of a name: those with a value on one side of a number, or with a label. */
export type ScoreFilter =
  | { name: string; operator: '<' | '<=' | '>' | '>=' | '='; value: number }
  | { name: string; label: string };

const SCORE_FILTER = /^("(?:[^"\\]|\\.)+"|[^"<>=:][^<>=:]*)(?:(<=?|>=?|=)([^<>=]+)|:([\s\S]+))$/;

/** A filter as it is written, `NAME<0.5` or `NAME:LABEL`; a name with one of `< > = : "` is given as a JSON string. */
export const scoreFilterSchema = z
  .string()
  .max(2_000)
  .transform((text, context): ScoreFilter => {
    const [, given = '', operator, number = '', label] = SCORE_FILTER.exec(text) ?? [];
    const name = given.startsWith('"') ? z.string().safeParse(attemptJson(given)).data : given.trim();
    const value = queryNumberSchema.safeParse(number.trim()).data;
    if (name && label !== undefined) return { name, label };
    if (name && value !== undefined) return { name, operator: operator as '<', value };
    context.addIssue({ code: 'custom', message: 'must be NAME<NUMBER (or <=, >, >=, =) or NAME:LABEL' });
    return z.NEVER;
  })
  .meta({ openapi: { type: 'string' } });

function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The order of lists of traces and spans by their scores of a name (docs/spec/scores.md#sorting-by-scores). */
const scoreSortSchema = z.templateLiteral(['score:', z.string().min(1).max(200)]);

/** What a list is sorted by: one of its keys, or `score:NAME`. */
export const sortKeySchema = <Keys extends readonly string[]>(keys: Keys) =>
  z.union([z.enum(keys), scoreSortSchema], {
    error: `must be ${keys.map((key) => `"${key}"`).join(', ')} or "score:NAME"`,
  });

/** The name in such an order; `undefined` in another one. */
export const scoreOfSort = (sortBy: string): string | undefined =>
  sortBy.startsWith('score:') ? sortBy.slice('score:'.length) : undefined;

/** The filter on scores of lists of traces and spans (docs/spec/scores.md#finding-by-scores). */
export const scoreFiltersSchema = repeatable(scoreFilterSchema, 8)
  .optional()
  .describe(
    '`NAME<0.5` (also `<=`, `>`, `>=`, `=`) or `NAME:LABEL`: those with such a score. May be repeated; all must match.',
  );

/** `include` of lists of traces, spans and sessions. */
export const includeScores = z
  .literal('scores')
  .optional()
  .describe('`scores`: the member `scores`, with what the scores of each come to.');

export const listedScores = scoreSumsSchema.exactOptional().describe('With `include=scores` alone.');

/** Member `scores` of what is shown by itself. @param what they are about. */
export const scoresOf = (what: string) =>
  z
    .array(scoreSchema)
    .describe(`Scores of ${what}, newest first; the first ${SCORES_OF_TRACE_MAX}. Left out where there is none.`);
export const scoresOfTrace = scoresOf('the trace and of its spans');

/** A score that comes back from an export. */
export const restoredScoreSchema = z.object({
  id: keySchema.min(1),
  name: keySchema.min(1),
  value: scoreValueSchema.nullable(),
  label: keySchema.nullable(),
  comment: storableSchema(SCORE_COMMENT_MAX).nullable(),
  source: z.enum(SCORE_SOURCES),
  author: keySchema,
  trace_id: keySchema.nullable(),
  span_id: keySchema.nullable(),
  session_id: keySchema.nullable(),
  rule_id: keySchema.nullable(),
  queue_item_id: keySchema.nullable(),
  config: keySchema.nullable(),
  metadata: smallObject(METADATA_MAX),
  revisions: boundedList(scoreRevisionSchema, SCORE_REVISIONS_MAX),
  ...restoredTimes,
});
export type RestoredScore = z.output<typeof restoredScoreSchema>;

export const scoreListSchema = listAnswer('ScoreList', 'scores', scoreSchema);

/** Query of `GET /api/scores`, newest first; filters combine with AND. */
export const listScoresSchema = z.object({
  trace_id: z.string().optional().describe('Scores of the trace and of its spans.'),
  span_id: z.string().optional(),
  session_id: z.string().optional(),
  name: z.string().optional(),
  source: z.enum(SCORE_SOURCES).optional(),
  author: z.string().optional(),
  rule_id: z.string().optional(),
  label: z.string().optional(),
  min_value: queryNumberSchema.optional().describe('Inclusive.'),
  max_value: queryNumberSchema.optional().describe('Inclusive.'),
  since: timestampSchema.optional().describe('Made then or later.'),
  until: timestampSchema.optional().describe('Made before.'),
  ...paging(),
});
export type ListScores = z.output<typeof listScoresSchema>;

/** Query of `GET /api/analytics/scores`. */
export const scoreSeriesQuerySchema = z.object({
  name: z.string().optional(),
  source: z.enum(SCORE_SOURCES).optional(),
  rule_id: z.string().optional(),
  model: z.string().optional().describe('Scores of spans of this model.'),
  since: timestampSchema.optional().describe('The hour in which it lies is the first.'),
  until: timestampSchema.optional().describe('The hour in which it lies is the last.'),
  group_by: z.enum(['hour', 'day', 'week']).default('day'),
});
export type ScoreSeriesQuery = z.output<typeof scoreSeriesQuerySchema>;

const scoreBucketSchema = z
  .object({
    timestamp: timestampTextSchema.describe('When the bucket begins: of what the scores are about.'),
    name: z.string(),
    count: countSchema,
    mean: z.number().nullable(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    labels: z.record(z.string(), countSchema),
  })
  .meta({ id: 'ScoreBucket' });
export type ScoreBucket = z.output<typeof scoreBucketSchema>;

/** Answer of `GET /api/analytics/scores`. */
export const scoreSeriesSchema = z
  .object({ buckets: z.array(scoreBucketSchema).describe('Oldest first, by name within a bucket.') })
  .meta({ id: 'ScoreSeries' });

/** Query of `GET /api/analytics/quality`. */
export const scoreQualityQuerySchema = z.object({
  name: z.string().describe('The name of the scores, which judge and people have in common.'),
  since: timestampSchema.optional().describe('Scores of traces, spans and sessions that began then or later.'),
  until: timestampSchema.optional().describe('Scores of traces, spans and sessions that began before.'),
  split_by: z
    .enum(['model', 'day', 'week'])
    .optional()
    .describe('Days and weeks (from Monday, UTC) show a judge that drifts.'),
});
export type ScoreQualityQuery = z.output<typeof scoreQualityQuerySchema>;

export const levelIntervalSchema = z
  .object({ low: z.number(), high: z.number(), level: z.number() })
  .meta({ id: 'LevelInterval' });
export const wilsonRateSchema = z
  .object({ rate: z.number(), ci: levelIntervalSchema.describe("Wilson's interval.") })
  .meta({ id: 'WilsonRate' });

const scoreQualitySchema = z
  .object({
    key: z.string().nullable().describe('The model, or when the day or week began; with `split_by`.'),
    judge: z.object({
      mean: z.number().nullable(),
      n: countSchema.describe('What the judge alone scored.'),
    }),
    human: z.object({ mean: z.number().nullable(), k: countSchema.describe('What both scored.') }),
    corrected: z
      .object({ mean: z.number(), ci: levelIntervalSchema })
      .nullable()
      .describe("The judge's mean, corrected by what people said; `null` below 20 of what both scored."),
    true_pass_rate: wilsonRateSchema
      .nullable()
      .describe('How often the judge passes what people pass; of 0 and 1 alone.'),
    true_fail_rate: wilsonRateSchema.nullable().describe('How often the judge fails what people fail.'),
  })
  .meta({ id: 'ScoreQuality' });
export type ScoreQuality = z.output<typeof scoreQualitySchema>;

/** Answer of `GET /api/analytics/quality`: all together, and with `split_by` for each key. */
export const scoreQualityAnswerSchema = scoreQualitySchema
  .omit({ key: true })
  .extend({ series: z.array(scoreQualitySchema).exactOptional().describe('With `split_by` alone.') })
  .meta({ id: 'ScoreQualityAnswer' });
export type ScoreQualityAnswer = z.output<typeof scoreQualityAnswerSchema>;

export const SCORE_KINDS = ['number', 'category', 'boolean', 'text'] as const;
export type ScoreKind = (typeof SCORE_KINDS)[number];
export const SCORE_LEVELS = ['nominal', 'ordinal', 'interval'] as const;
export type ScoreLevel = (typeof SCORE_LEVELS)[number];
const CATEGORIES_MAX = 100;

const categorySchema = z.object({ label: keySchema.min(1), value: settingNumber(scoreValueSchema.nullish()) });

const definitionMembers = {
  kind: z.enum(SCORE_KINDS),
  min: settingNumber(scoreValueSchema.nullish()).describe('The smallest value; of numbers alone.'),
  max: settingNumber(scoreValueSchema.nullish()).describe('The largest value; of numbers alone.'),
  categories: boundedList(categorySchema, CATEGORIES_MAX)
    .nullish()
    .describe('The labels there are, and what each counts as a number; of categories alone.'),
  level: z.enum(SCORE_LEVELS).nullish().describe('How far apart two answers are; by the kind when left out.'),
  description: nameSchema.nullish(),
};

type DefinitionMembers = z.output<z.ZodObject<typeof definitionMembers>>;

function checkDefinition({ kind, min, max, categories }: DefinitionMembers, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  const isNumber = kind === 'number';
  if (!isNumber && min !== null && min !== undefined) refuse('min', 'is for the kind number alone');
  if (!isNumber && max !== null && max !== undefined) refuse('max', 'is for the kind number alone');
  if (typeof min === 'number' && typeof max === 'number' && min > max) refuse('max', 'must not be below min');
  const labels = categories?.map(({ label }) => label) ?? [];
  if (kind === 'category' && labels.length === 0) refuse('categories', 'is needed for the kind category');
  if (kind !== 'category' && labels.length > 0) refuse('categories', 'is for the kind category alone');
  if (new Set(labels).size < labels.length) refuse('categories', 'must not have a label twice');
}

/** `POST /api/score-definitions`. */
export const createScoreDefinitionSchema = z
  .object({ name: keySchema.min(1), ...definitionMembers })
  .superRefine(checkDefinition)
  .meta({ id: 'CreateScoreDefinition', description: 'What scores of a name look like.' });
export type CreateScoreDefinition = z.output<typeof createScoreDefinitionSchema>;

/** `PUT /api/score-definitions/:id`: all but the name is replaced. */
export const updateScoreDefinitionSchema = z
  .object(definitionMembers)
  .superRefine(checkDefinition)
  .meta({ id: 'UpdateScoreDefinition' });
export type UpdateScoreDefinition = z.output<typeof updateScoreDefinitionSchema>;

export const scoreDefinitionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(SCORE_KINDS),
    min: z.number().nullable(),
    max: z.number().nullable(),
    categories: z.array(z.object({ label: z.string(), value: z.number().nullable() })),
    level: z.enum(SCORE_LEVELS),
    description: z.string().nullable(),
    ...storedTimes,
  })
  .meta({ id: 'ScoreDefinition' });
export type ScoreDefinition = z.output<typeof scoreDefinitionSchema>;

/** A definition that comes back from an export. */
export const restoredScoreDefinitionSchema = z
  .object({
    id: clientIdSchema,
    name: keySchema.min(1),
    ...definitionMembers,
    ...restoredTimes,
  })
  .superRefine(checkDefinition);
export type RestoredScoreDefinition = z.output<typeof restoredScoreDefinitionSchema>;

export const scoreDefinitionListSchema = listAnswer('ScoreDefinitionList', 'score_definitions', scoreDefinitionSchema);
