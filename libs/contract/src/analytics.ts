import { z } from 'zod';
import { costSchema, unpricedCountSchema } from './values/numbers.js';
import { timestampSchema } from './values/timestamp.js';

export const BUCKET_WIDTHS = ['minute', 'hour', 'day', 'week'] as const;
export type BucketWidth = (typeof BUCKET_WIDTHS)[number];

export const MINUTES_RANGE_MAX_MS = 24 * 3_600_000;

export const SPLITS = ['model', 'provider', 'status'] as const;
export type Split = (typeof SPLITS)[number];

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
  /** `day` when left out. */
  group_by: z.enum(BUCKET_WIDTHS).nullish(),
  model: z.string().nullish(),
  provider: z.string().nullish(),
  /** Whether buckets without spans come too. */
  fill: z.boolean().nullish(),
  split_by: z.enum(SPLITS).nullish().describe('Each bucket then has its sums by this, too.'),
  top: z
    .number()
    .int()
    .min(1)
    .max(TOP_MAX)
    .nullish()
    .describe('Keys with sums of their own: those that cost most in the range. 8 unless given.'),
  percentiles: z.boolean().nullish().describe('Whether buckets have percentiles of the latency.'),
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
  span_count: z.number(),
  cost: knownCost,
  unpriced_count: unpricedCountSchema,
  tokens: z.number(),
  /** Over finished spans; `null` when there is none. */
  avg_latency_ms: z.number().nullable(),
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
      .describe('Model, provider or status; `null` for all others together, and for spans that have none.'),
  })
  .extend(bucketSumsSchema.shape);
export type BucketSeries = z.output<typeof bucketSeriesSchema>;

/** What started in a minute, an hour, a day or a week, UTC. */
export const timeBucketSchema = z
  .object({ timestamp: z.string().describe('Start of the bucket, also when the range begins later.') })
  .extend(bucketSumsSchema.shape)
  .extend({
    series: z
      .array(bucketSeriesSchema)
      .optional()
      .describe(
        'With `split_by`: the sums of each key that has spans in the bucket; the key that costs most in the range first.',
      ),
  });
export type TimeBucket = z.output<typeof timeBucketSchema>;

export const timeSeriesAnswerSchema = z.object({
  buckets: z.array(timeBucketSchema),
  percentile_error: z
    .number()
    .optional()
    .describe('With `percentiles`: how far each lies from the exact one at most, as a part of it.'),
});
export type TimeSeriesAnswer = z.output<typeof timeSeriesAnswerSchema>;

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
