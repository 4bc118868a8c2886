import { z } from 'zod';
import { exportedAlertChannelSchema, exportedAlertSchema } from './alerts.js';
import { captureRuleSchema } from './capture-rules.js';
import { boardSchema, commentSchema, savedViewSchema } from './collaboration.js';
import { exportedConnectionSchema } from './connections.js';
import { datapointSchema, datasetSchema } from './datasets.js';
import { evalRunSummarySchema, formerAttemptSchema, sampleSchema, scorerResultSchema } from './evals.js';
import { ingestTraceSchema } from './ingest.js';
import { queueItemSchema } from './queue.js';
import { scoreDefinitionSchema, scoreSchema } from './scores.js';
import { exportedScoringRuleSchema } from './scoring-rules.js';
import { spanSchema } from './spans.js';
import { traceSchema } from './traces.js';
import { amountSchema, countSchema } from './values/numbers.js';
import { timestampTextSchema } from './values/timestamp.js';

/** What the service writes into `version` of an export, and the one version an import reads. */
export const EXPORT_VERSION = 1;

/** The lists of an export of one trace, which every export has had from the first on. */
export const TRACE_EXPORT_COLLECTIONS = ['traces', 'spans', 'datasets', 'datapoints'] as const;

/** The lists of an export, in the order in which it has them: what others belong to comes before those. */
export const EXPORT_COLLECTIONS = [
  ...TRACE_EXPORT_COLLECTIONS,
  'datapoint_versions',
  'capture_rules',
  'connections',
  'eval_runs',
  'eval_results',
  'eval_samples',
  'eval_attempts',
  'queue_items',
  'score_definitions',
  'scores',
  'views',
  'boards',
  'scoring_rules',
  'alert_channels',
  'alerts',
  'comments',
] as const;
export type ExportCollection = (typeof EXPORT_COLLECTIONS)[number];

/** Query of `GET /api/export/json`. */
export const exportJsonQuerySchema = z.object({
  trace_id: z.string().optional().describe('Exports this trace and its spans alone.'),
});
export type ExportJsonQuery = z.output<typeof exportJsonQuerySchema>;

/** In which versions of a dataset, that eval runs work on, a datapoint was what. */
export const datapointVersionSchema = z
  .object({
    dataset_id: z.string(),
    datapoint_id: z.string(),
    from_version: countSchema,
    to_version: countSchema.nullable().describe('The first version without it; `null`: it is the datapoint of now.'),
    datapoint: datapointSchema
      .nullable()
      .describe(
        'The datapoint as the versions from `from_version` on had it; `null`: it is unchanged since, see `datapoints`.',
      ),
  })
  .meta({ id: 'DatapointVersion' });
export type DatapointVersionResource = z.output<typeof datapointVersionSchema>;

/** A run with the sums that its averages and totals are made of. */
export const exportedRunSchema = evalRunSummarySchema
  .extend({
    score_sum: amountSchema,
    score_count: countSchema,
    cost_count: countSchema,
    judge_cost_count: countSchema,
  })
  .meta({ id: 'ExportedEvalRun' });
export type ExportedRun = z.output<typeof exportedRunSchema>;

const exportedScoresSchema = z
  .record(z.string(), scorerResultSchema)
  .nullable()
  .describe('Results by the name of the scorer; `null`: the run has one scorer, whose result is in the other members.');

/** A processed item of a run; its input and expected text are the datapoint's. */
export const exportedResultSchema = z
  .object({ run_id: z.string(), datapoint_id: z.string() })
  .extend(sampleSchema.omit({ repeat: true, scores: true, passed: true }).shape)
  .extend({ scores: exportedScoresSchema })
  .meta({ id: 'ExportedEvalResult' });
export type ExportedResult = z.output<typeof exportedResultSchema>;

/** A processed sample of a run that tries each datapoint several times. */
export const exportedSampleSchema = exportedResultSchema
  .extend(sampleSchema.pick({ repeat: true }).shape)
  .meta({ id: 'ExportedEvalSample' });
export type ExportedSample = z.output<typeof exportedSampleSchema>;

/** What became of a sample before it was tried again. */
export const exportedAttemptSchema = exportedSampleSchema
  .extend(formerAttemptSchema.pick({ attempt: true, retried_at: true }).shape)
  .extend({ output_kept: z.boolean().describe('Whether its output was kept, and scored again.') })
  .meta({ id: 'ExportedEvalAttempt' });
export type ExportedAttempt = z.output<typeof exportedAttemptSchema>;

const originSchema = z.tuple([countSchema, z.string()]).readonly();

/**
 * Who reported the members of a trace of which spans of OpenTelemetry reported something: a rank, the smallest counts, and the place
 * of the span in time. What is not in it was given.
 */
const traceOriginsSchema = z
  .object({
    name: originSchema.exactOptional(),
    session: originSchema.exactOptional(),
    user: originSchema.exactOptional(),
    open_start: z.literal(true).exactOptional().describe('Nobody gave the start: it is the earliest of the spans.'),
    tags: countSchema.describe('How many of the tags, from the first on, were given.'),
    metadata: z.record(z.string(), z.string()),
    resources: z.record(z.string(), z.string()),
  })
  .meta({ id: 'TraceOrigins' });

export const exportedTraceSchema = traceSchema
  .extend({
    origins: traceOriginsSchema
      .exactOptional()
      .describe(
        'Which spans of OpenTelemetry reported what, so that later ones count as if the trace had never moved.',
      ),
  })
  .meta({ id: 'ExportedTrace' });
export type ExportedTrace = z.output<typeof exportedTraceSchema>;

/** A trace that comes back from an export; what its spans make of it is left aside. */
export const restoredTraceSchema = ingestTraceSchema
  .omit({ defaults: true })
  .extend({ origins: traceOriginsSchema.exactOptional() })
  .meta({ id: 'RestoredTrace' });
export type RestoredTrace = z.output<typeof restoredTraceSchema>;

const WHOLE_PROJECT = 'Missing in the export of one trace.';

/** Answer of `GET /api/export/json` (docs/spec/transfer.md#the-export). */
export const exportJsonSchema = z
  .object({
    version: z.literal(EXPORT_VERSION).describe('Version of the export format.'),
    exported_at: timestampTextSchema,
    traces: z.array(exportedTraceSchema),
    spans: z.array(spanSchema),
    datasets: z.array(datasetSchema),
    datapoints: z.array(datapointSchema),
    datapoint_versions: z
      .array(datapointVersionSchema)
      .exactOptional()
      .describe(`The datapoints that eval runs saw. ${WHOLE_PROJECT}`),
    capture_rules: z.array(captureRuleSchema).exactOptional().describe(WHOLE_PROJECT),
    connections: z.array(exportedConnectionSchema).exactOptional().describe(`Without their keys. ${WHOLE_PROJECT}`),
    eval_runs: z.array(exportedRunSchema).exactOptional().describe(WHOLE_PROJECT),
    eval_results: z.array(exportedResultSchema).exactOptional().describe(WHOLE_PROJECT),
    eval_samples: z
      .array(exportedSampleSchema)
      .exactOptional()
      .describe(`The samples of runs that try each datapoint several times. ${WHOLE_PROJECT}`),
    eval_attempts: z
      .array(exportedAttemptSchema)
      .exactOptional()
      .describe(`Former attempts of samples that were tried again. ${WHOLE_PROJECT}`),
    queue_items: z.array(queueItemSchema).exactOptional().describe(WHOLE_PROJECT),
    score_definitions: z.array(scoreDefinitionSchema).exactOptional().describe(WHOLE_PROJECT),
    scores: z.array(scoreSchema).exactOptional().describe(WHOLE_PROJECT),
    views: z.array(savedViewSchema).exactOptional().describe(`Those of the project. ${WHOLE_PROJECT}`),
    comments: z.array(commentSchema).exactOptional().describe(WHOLE_PROJECT),
    boards: z
      .array(boardSchema)
      .exactOptional()
      .describe(`Those of the product as they were changed. ${WHOLE_PROJECT}`),
    scoring_rules: z.array(exportedScoringRuleSchema).exactOptional().describe(WHOLE_PROJECT),
    alert_channels: z
      .array(exportedAlertChannelSchema)
      .exactOptional()
      .describe(`Without where they send to, and their secrets. ${WHOLE_PROJECT}`),
    alerts: z.array(exportedAlertSchema).exactOptional().describe(`Without their states. ${WHOLE_PROJECT}`),
  })
  .meta({ id: 'Export' });

const countsSchema = z.object(
  Object.fromEntries(EXPORT_COLLECTIONS.map((name) => [name, countSchema])) as Record<
    ExportCollection,
    typeof countSchema
  >,
);

/** Answer of `POST /api/import/json`. */
export const importJsonResultSchema = z
  .object({
    imported: countsSchema
      .meta({ id: 'ImportedCounts' })
      .describe('Items taken, including those that were there already.'),
    rejected: z
      .array(
        z.object({
          collection: z.enum(EXPORT_COLLECTIONS).meta({ id: 'ExportCollection' }),
          index: countSchema.describe('Position in its collection.'),
          code: z.string(),
          message: z.string(),
        }),
      )
      .describe('The first of the items that were left out, because what is stored already leaves no place for them.'),
    rejected_count: countSchema.describe('How many items were left out.'),
  })
  .meta({ id: 'ImportJsonResult' });
export type ImportJsonResult = z.output<typeof importJsonResultSchema>;
