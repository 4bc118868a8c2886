import { z } from 'zod';
import { IDS_MAX } from './lists.js';
import { scoreFilterSchema } from './scores.js';
import { spanFiltersSchema } from './spans.js';
import { costSchema, unpricedCountSchema } from './values/numbers.js';
import { timestampSchema } from './values/timestamp.js';

export const BUCKET_WIDTHS = ['minute', 'hour', 'day', 'week'] as const;
export type BucketWidth = (typeof BUCKET_WIDTHS)[number];

/** What is counted: `span_count`, latency and errors are those of it. */
export const COUNTED_THINGS = ['spans', 'llm_calls', 'traces'] as const;
export type CountedThing = (typeof COUNTED_THINGS)[number];

export const MINUTES_RANGE_MAX_MS = 24 * 3_600_000;

/** Splits that the sums kept by every write know; those of a trace are found by reading its spans. */
export const KEPT_SPLITS = ['model', 'provider', 'status'] as const;
export const SPLITS = [...KEPT_SPLITS, 'user', 'session', 'tag', 'trace_name'] as const;
/** What sums are split by: one of {@link SPLITS}, or a key of the metadata of traces. */
export type Split = (typeof SPLITS)[number] | `metadata.${string}`;

/** One of some keys, or a key of metadata. */
const keySchemaOf = <Keys extends readonly [string, ...string[]]>(keys: Keys) =>
  z
    .union([z.enum(keys), z.templateLiteral(['metadata.', z.string().min(1).max(200)])], {
      error: `must be one of ${keys.join(', ')}, metadata.KEY`,
    })
    .meta({
      openapi: {
        anyOf: [
          { type: 'string', enum: keys },
          { type: 'string', pattern: '^metadata\\..' },
        ],
      },
    });

const splitSchema = keySchemaOf(SPLITS);

/** How many keys of a split are distinguished. */
export const TOP_MAX = 20;
export const TOP_DEFAULT = 8;

/** How far a percentile lies from the exact one at most, as a part of it (docs/spec/analytics.md#percentiles). */
export const PERCENTILE_ERROR = 0.02;

/** Buckets one answer has at most: eleven years of hours. */
export const BUCKETS_MAX = 100_000;

/** Buckets one answer with percentiles has at most: more than a day of minutes, each split into twenty. */
export const PERCENTILE_BUCKETS_MAX = 40_000;

/** `POST /api/analytics`; every member optional (docs/spec/analytics.md#time-series). */
export const timeSeriesSchema = z.object({
  /** Start of the range, inclusive. */
  since: timestampSchema.nullish(),
  /** End of the range, exclusive. */
  until: timestampSchema.nullish(),
  group_by: z
    .enum([...BUCKET_WIDTHS, 'auto'])
    .nullish()
    .describe('`day` when left out; `auto` is what gives a range some thirty buckets, at most about 200.'),
  of: z.enum(COUNTED_THINGS).nullish().describe('What is counted: `spans` unless given.'),
  model: z.string().nullish(),
  provider: z.string().nullish(),
  user_id: z.string().nullish().describe('Those of traces of this user alone.'),
  fill: z.boolean().nullish(),
  split_by: splitSchema
    .nullish()
    .describe('Each bucket then has its sums by this, too. A trace counts once for each of its tags.'),
  top: z
    .number()
    .int()
    .min(1)
    .max(TOP_MAX)
    .nullish()
    .describe('Keys with sums of their own: those that cost most in the range. 8 unless given.'),
  percentiles: z.boolean().nullish().describe('Whether buckets have percentiles of the latency.'),
  totals: z
    .boolean()
    .nullish()
    .describe('Whether the answer has the sums of the whole range, and those of the period before it.'),
});
export type TimeSeriesQuery = z.output<typeof timeSeriesSchema>;

const knownCost = costSchema.describe(
  'Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is.',
);

const percentileSchema = z
  .number()
  .nullable()
  .optional()
  .describe('Milliseconds, over finished spans; `null` when there is none, left out unless asked for.');

const bucketSumsSchema = z.object({
  span_count: z.number().describe('How many are counted: spans, LLM calls or traces.'),
  cost: knownCost,
  unpriced_count: unpricedCountSchema,
  tokens: z.number(),
  input_tokens: z.number().nullable().describe('Those of inputs, cached ones included; `null` of traces.'),
  output_tokens: z.number().nullable().describe('`null` of traces.'),
  cached_input_tokens: z.number().nullable().describe('Those of inputs that were read from a cache; `null` of traces.'),
  /** Over finished spans; `null` when there is none. */
  avg_latency_ms: z.number().nullable(),
  finished_count: z.number().describe('How many have ended, which latencies are of.'),
  error_count: z.number(),
  p50_ms: percentileSchema,
  p95_ms: percentileSchema,
  p99_ms: percentileSchema,
});
export type BucketSums = z.output<typeof bucketSumsSchema>;

const bucketSeriesSchema = z
  .object({
    key: z
      .string()
      .nullable()
      .describe('Model, user, tag …; `null` for all others together, and for those that have none.'),
  })
  .extend(bucketSumsSchema.shape);
export type BucketSeries = z.output<typeof bucketSeriesSchema>;

const seriesMember = z
  .array(bucketSeriesSchema)
  .optional()
  .describe('With `split_by`: the sums of each key that is there; the key that costs most in the range first.');

/** What started in a minute, an hour, a day or a week, UTC. */
export const timeBucketSchema = z
  .object({ timestamp: z.string().describe('Start of the bucket, also when the range begins later.') })
  .extend(bucketSumsSchema.shape)
  .extend({ series: seriesMember });
export type TimeBucket = z.output<typeof timeBucketSchema>;

const totalsSchema = bucketSumsSchema.extend({ series: seriesMember });
export type RangeTotals = z.output<typeof totalsSchema>;

export const timeSeriesAnswerSchema = z.object({
  buckets: z.array(timeBucketSchema),
  group_by: z.enum(BUCKET_WIDTHS).optional().describe('With `group_by: auto`: what it was.'),
  totals: totalsSchema.optional().describe('With `totals`: the sums of the whole range.'),
  previous_totals: totalsSchema
    .omit({ series: true })
    .nullable()
    .optional()
    .describe('With `totals`: the sums of as long a time before `since`; `null` without both ends.'),
  percentile_error: z
    .number()
    .optional()
    .describe('With `percentiles`: how far each lies from the exact one at most, as a part of it.'),
});
export type TimeSeriesAnswer = z.output<typeof timeSeriesAnswerSchema>;

/** What spans are grouped by, beside a key of the metadata of their traces. */
export const GROUP_KEYS = [
  'model',
  'provider',
  'kind',
  'status',
  'name',
  'tag',
  'user',
  'session',
  'trace_name',
] as const;
export type GroupKey = (typeof GROUP_KEYS)[number] | `metadata.${string}`;

/** What the groups of a query are ranked by: the highest come first. */
export const RANK_MEASURES = [
  ...(['count', 'cost', 'tokens', 'input_tokens', 'output_tokens'] as const),
  ...(['avg_latency', 'errors', 'error_rate', 'score_mean'] as const),
] as const;
export type RankMeasure = (typeof RANK_MEASURES)[number];

/** Groups of an answer that are distinguished at most. */
export const ANALYTICS_GROUPS_MAX = 100;
export const ANALYTICS_GROUPS_DEFAULT = 10;

/** The filters of `GET /api/spans` in a body: numbers are numbers, and what may be repeated is a list. */
const filtersInBodySchema = spanFiltersSchema.extend({
  ids: z.array(z.string()).max(IDS_MAX).optional(),
  tag: z.array(z.string()).max(64).optional().describe('Spans of traces with all of these tags.'),
  duration_min: z.number().optional(),
  duration_max: z.number().optional(),
  tokens_min: z.number().optional(),
  cost_min: z.number().optional(),
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .describe('Spans with all of these values in their own metadata.'),
  score: z
    .array(scoreFilterSchema)
    .max(8)
    .optional()
    .describe('Conditions such as `NAME<0.5` or `NAME:LABEL`; all must match.'),
});

/** `POST /api/analytics/query`; every member optional (docs/spec/analytics.md#groups). */
export const groupsQuerySchema = z
  .object({
    filters: filtersInBodySchema.nullish().describe('The filters of `GET /api/spans`, `since` and `until` among them.'),
    group_by: z
      .array(keySchemaOf(GROUP_KEYS))
      .max(2)
      .refine((keys) => new Set(keys).size === keys.length, 'must not have a key twice')
      .nullish()
      .describe('Up to two keys: their values together make a group.'),
    bucket: z
      .enum([...BUCKET_WIDTHS, 'auto'])
      .nullish()
      .describe('Each group then has its sums by time, too; `auto` is what gives a range some thirty buckets.'),
    order_by: z.enum(RANK_MEASURES).nullish().describe('Groups with most of it come first: `cost` unless given.'),
    top: z
      .number()
      .int()
      .min(1)
      .max(ANALYTICS_GROUPS_MAX)
      .nullish()
      .describe('Groups with sums of their own. 10 unless given.'),
    percentiles: z.boolean().nullish().describe('Whether there are percentiles of the latency.'),
    first_token: z.boolean().nullish().describe('Whether there are percentiles of the time to the first token.'),
    score: z.string().min(1).nullish().describe('The name of the scores whose number and mean come, too.'),
  })
  .refine(({ order_by, score }) => order_by !== 'score_mean' || score != null, {
    path: ['score'],
    message: 'is needed to order by score_mean',
  });
export type GroupsQuery = z.output<typeof groupsQuerySchema>;

const firstTokenSchema = z
  .number()
  .nullable()
  .optional()
  .describe('Milliseconds to the first token, over spans that have it; with `first_token` alone.');

const groupSumsSchema = bucketSumsSchema.extend({
  error_rate: z.number().nullable().describe('Failed of all finished spans; `null` when there is none.'),
  first_token_p50_ms: firstTokenSchema,
  first_token_p95_ms: firstTokenSchema,
  first_token_p99_ms: firstTokenSchema,
  score_count: z.number().optional().describe('With `score`: how many scores of this name have a value.'),
  score_mean: z.number().nullable().optional().describe('With `score`: their mean.'),
});
export type GroupSums = z.output<typeof groupSumsSchema>;

const groupBucketSchema = groupSumsSchema.extend({ timestamp: z.string() }).meta({ id: 'AnalyticsGroupBucket' });

const timedSumsSchema = groupSumsSchema
  .extend({
    buckets: z.array(groupBucketSchema).optional().describe('With `bucket`: those that have spans, oldest first.'),
  })
  .meta({ id: 'AnalyticsGroupSums' });
export type TimedSums = z.output<typeof timedSumsSchema>;

export const groupsAnswerSchema = z
  .object({
    groups: z
      .array(
        z
          .object({
            keys: z
              .array(z.string().nullable())
              .describe('A value for each of `group_by`; `null` for spans that have none.'),
          })
          .extend(timedSumsSchema.shape),
      )
      .describe('The groups, the one with most of `order_by` first.'),
    other: timedSumsSchema.nullable().describe('All spans that are in none of the groups; `null` when there are none.'),
    total: timedSumsSchema.describe('All spans that match, each once.'),
    bucket: z.enum(BUCKET_WIDTHS).optional().describe('With `bucket`: how wide buckets are.'),
    source: z.enum(['sums', 'spans']).describe('Whether sums that are kept answered, or spans were read.'),
    percentile_error: z
      .number()
      .optional()
      .describe('With percentiles: how far each lies from the exact one at most, as a part of it.'),
  })
  .meta({ id: 'AnalyticsGroups' });
export type GroupsAnswer = z.output<typeof groupsAnswerSchema>;

/** Answer of `GET /api/analytics/summary`. */
export const analyticsSummarySchema = z.object({
  total_traces: z.number(),
  total_spans: z.number(),
  total_cost: knownCost,
  unpriced_count: unpricedCountSchema,
  total_tokens: z.number(),
  /** Over finished spans; `null` when there is none. */
  avg_latency_ms: z.number().nullable(),
  /** Failed of all finished spans, 0 when there is none. */
  error_rate: z.number(),
  /** The `llm_call` spans by their model. */
  models: z.record(
    z.string(),
    z.object({ count: z.number(), cost: knownCost, tokens: z.number(), unpriced_count: unpricedCountSchema }),
  ),
});
export type AnalyticsSummary = z.output<typeof analyticsSummarySchema>;

/** Answer of `GET /api/stats`. */
export const statsSchema = z.object({ trace_count: z.number(), span_count: z.number() });
export type Stats = z.output<typeof statsSchema>;
