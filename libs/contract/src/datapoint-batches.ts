import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import { countSchema } from './values/numbers.js';

/** Spans or datapoints that one request may name (docs/spec/datapoints.md#many-at-once). */
export const BATCH_IDS_MAX = 1_000;

const batchIdsSchema = boundedList(z.string(), BATCH_IDS_MAX);

/** `POST /api/datasets/:id/export-spans`. */
export const exportSpansSchema = z
  .object({
    span_ids: batchIdsSchema.describe('Ids of spans; one that is named twice counts once.'),
    skip_existing: z
      .boolean()
      .nullish()
      .describe('Leaves out spans that a datapoint of the dataset is from already: they are listed in `existing`.'),
  })
  .meta({ id: 'ExportSpans' });
export type ExportSpans = z.output<typeof exportSpansSchema>;

const spanDatapointSchema = z.object({ span_id: z.string(), datapoint_id: z.string() });

/** Answer of `POST /api/datasets/:id/export-spans`: each span on its own, in the order in which they were named. */
export const exportedSpansSchema = z
  .object({
    created: z.array(spanDatapointSchema),
    existing: z.array(spanDatapointSchema).exactOptional().describe('With `skip_existing`.'),
    unread_answers: z
      .array(z.string())
      .exactOptional()
      .describe('Spans of `created` whose output was not understood as an answer; left out when there are none.'),
    rejected: z.array(
      z.object({
        span_id: z.string(),
        code: z.string().describe('A code of the error catalogue.'),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'ExportedSpans' });
export type ExportedSpans = z.output<typeof exportedSpansSchema>;

/** `POST /api/datasets/:id/datapoints/delete`. */
export const deleteDatapointsSchema = z.object({ ids: batchIdsSchema }).meta({ id: 'DeleteDatapoints' });
export type DeleteDatapoints = z.output<typeof deleteDatapointsSchema>;

/** Answer of `POST /api/datasets/:id/datapoints/delete`. */
export const deletedDatapointsSchema = z
  .object({
    deleted: countSchema.describe('How many of the datapoints were there and are deleted now.'),
    missing: z.array(z.string()).describe('Given ids that no datapoint of the dataset has.'),
  })
  .meta({ id: 'DeletedDatapoints' });
export type DeletedDatapoints = z.output<typeof deletedDatapointsSchema>;
