import { z } from 'zod';
import { countSchema, numberAsDouble } from './values/numbers.js';
import { ingestScoreSchema } from './scores.js';
import { spanKindSchema } from './spans.js';
import { clientIdSchema, jsonObjectSchema, jsonValueSchema, nameSchema } from './values/text.js';
import { timestampSchema } from './values/timestamp.js';
import { patchTraceSchema } from './traces.js';

/** Traces and spans that one ingest may carry (docs/spec/ingest.md#one-request). */
export const INGEST_ITEMS_MAX = 10_000;

/** A trace of an ingest; `defaults` are for a sender that does not know whether the trace exists (the gateway). */
export const ingestTraceSchema = patchTraceSchema
  .extend({
    id: clientIdSchema,
    started_at: timestampSchema.nullish(),
    defaults: numberAsDouble(
      z.object({ name: nameSchema.nullish(), started_at: timestampSchema.nullish() }).nullish(),
    ).describe('Members that count only when this item makes the trace.'),
  })
  .meta({ id: 'IngestTrace', description: 'A trace; members given replace those of the stored trace.' });
export type IngestTrace = z.output<typeof ingestTraceSchema>;

const failedStatus = z.object({ failed: z.object({ error: z.string() }) });

/** A span of an ingest, whole: running or finished. A status left out follows from `error` and `ended_at`. */
export const ingestSpanSchema = z
  .object({
    id: clientIdSchema,
    trace_id: z.string(),
    parent_id: clientIdSchema.nullish(),
    name: nameSchema,
    kind: spanKindSchema.nullish(),
    input: jsonValueSchema.optional(),
    output: jsonValueSchema.optional(),
    status: z.union([z.enum(['running', 'completed', 'failed']), failedStatus]).nullish(),
    error: z.string().nullish(),
    started_at: timestampSchema.nullish(),
    ended_at: timestampSchema.nullish(),
    metadata: jsonObjectSchema.nullish(),
  })
  .meta({ id: 'IngestSpan' });
export type IngestSpan = z.output<typeof ingestSpanSchema>;

/** `POST /api/ingest`; items are checked one by one, so that a bad one rejects only itself. */
export const ingestSchema = z
  .object({
    traces: z.array(z.unknown().meta({ describedBy: ingestTraceSchema })).nullish(),
    spans: z.array(z.unknown().meta({ describedBy: ingestSpanSchema })).nullish(),
    scores: z.array(z.unknown().meta({ describedBy: ingestScoreSchema })).nullish(),
  })
  .meta({ id: 'Ingest', description: `Up to ${INGEST_ITEMS_MAX} items; a bad one rejects only itself.` });

const ingestRejectionSchema = z.object({
  index: countSchema.describe('Position in its collection.'),
  collection: z.enum(['traces', 'spans', 'scores']),
  code: z.string().describe('A code of the error catalogue.'),
  message: z.string(),
});
export type IngestRejection = z.output<typeof ingestRejectionSchema>;

/** Answer of `POST /api/ingest`. */
export const ingestResultSchema = z
  .object({
    accepted: z.object({
      traces: countSchema,
      spans: countSchema,
      scores: countSchema.exactOptional().describe('Where the request had `scores`.'),
    }),
    rejected: z.array(ingestRejectionSchema),
  })
  .meta({ id: 'IngestResult' });
export type IngestResult = z.output<typeof ingestResultSchema>;
