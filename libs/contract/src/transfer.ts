import { z } from 'zod';
import { DATAPOINT_SOURCES, datapointKindSchema, datapointSchema, datasetSchema } from './datasets.js';
import { countSchema } from './values/numbers.js';
import { spanSchema } from './spans.js';
import { clientIdSchema, keySchema, labelSchema, nameSchema } from './values/text.js';
import { timestampSchema, timestampTextSchema } from './values/timestamp.js';
import { traceSchema } from './traces.js';

/** What the service writes into `version` of an export, and the one version an import reads. */
export const EXPORT_VERSION = 1;

/** The lists of an export, in the order in which it has them. */
export const EXPORT_COLLECTIONS = ['traces', 'spans', 'datasets', 'datapoints'] as const;
export type ExportCollection = (typeof EXPORT_COLLECTIONS)[number];

/** Query of `GET /api/export/json`. */
export const exportJsonQuerySchema = z.object({
  trace_id: z.string().optional().describe('Exports this trace and its spans alone.'),
});
export type ExportJsonQuery = z.output<typeof exportJsonQuerySchema>;

/** Answer of `GET /api/export/json` (docs/spec/transfer.md#the-export). */
export const exportJsonSchema = z
  .object({
    version: z.literal(EXPORT_VERSION).describe('Of the format.'),
    exported_at: timestampTextSchema,
    traces: z.array(traceSchema),
    spans: z.array(spanSchema),
    datasets: z.array(datasetSchema),
    datapoints: z.array(datapointSchema),
  })
  .meta({ id: 'Export' });

/** A dataset of an import; its datapoints follow by themselves. */
export const restoredDatasetSchema = z.object({
  id: clientIdSchema,
  name: labelSchema,
  description: nameSchema.nullish(),
  datapoint_count: countSchema,
  version: countSchema,
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type RestoredDataset = z.output<typeof restoredDatasetSchema>;

/** A datapoint of an import. */
export const restoredDatapointSchema = z.object({
  id: clientIdSchema,
  dataset_id: clientIdSchema,
  kind: datapointKindSchema,
  source: z.enum(DATAPOINT_SOURCES),
  source_span_id: keySchema.nullish(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type RestoredDatapoint = z.output<typeof restoredDatapointSchema>;

const countsSchema = z.object({
  traces: countSchema,
  spans: countSchema,
  datasets: countSchema,
  datapoints: countSchema,
});

/** Answer of `POST /api/import/json`. */
export const importJsonResultSchema = z
  .object({
    imported: countsSchema.describe('Items taken, those that were there already among them.'),
    rejected: z
      .array(
        z.object({
          collection: z.enum(EXPORT_COLLECTIONS),
          index: countSchema.describe('Position in its collection.'),
          code: z.string(),
          message: z.string(),
        }),
      )
      .describe('The first of the items that what is stored leaves no place for; each alone is left out.'),
    rejected_count: countSchema.describe('All of them.'),
  })
  .meta({ id: 'ImportJsonResult' });
export type ImportJsonResult = z.output<typeof importJsonResultSchema>;
