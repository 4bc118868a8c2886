import { z } from 'zod';
import { costSchema, unpricedCountSchema } from './values/numbers.js';
import { timestampSchema } from './values/timestamp.js';

export const BUCKET_WIDTHS = ['hour', 'day', 'week'] as const;
export type BucketWidth = (typeof BUCKET_WIDTHS)[number];

/** Buckets one answer has at most: eleven years of hours. */
export const BUCKETS_MAX = 100_000;

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
});
export type TimeSeriesQuery = z.output<typeof timeSeriesSchema>;

const knownCost = costSchema.describe(
  'Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is.',
);

/** What started in an hour, a day or a week, UTC. */
export const timeBucketSchema = z.object({
  /** Start of the bucket, also when the range begins later. */
  timestamp: z.string(),
  span_count: z.number(),
  cost: knownCost,
  unpriced_count: unpricedCountSchema,
  tokens: z.number(),
  /** Over finished spans; `null` when there is none. */
  avg_latency_ms: z.number().nullable(),
  error_count: z.number(),
});
export type TimeBucket = z.output<typeof timeBucketSchema>;

/** Answer of `POST /api/analytics`. */
export const timeSeriesAnswerSchema = z.object({ buckets: z.array(timeBucketSchema) });
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
