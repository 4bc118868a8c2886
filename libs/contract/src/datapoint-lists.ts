import { z } from 'zod';
import { DATAPOINT_SOURCES, datapointListSchema, datapointSchema, plainListSchema } from './datasets.js';
import { gathered, gatheringMembers, idsSchema, listAnswer, queryNumberSchema } from './lists.js';
import { previewSchema } from './outlines.js';
import { countSchema } from './values/numbers.js';

/** Query of `GET /api/datasets/:id/datapoints` (docs/spec/datapoints.md#listing-datapoints). */
export const listDatapointsSchema = gatheringMembers(
  plainListSchema.extend({
    text_contains: z.string().optional().describe('A literal substring of any value of the kind.'),
    source: z.enum(DATAPOINT_SOURCES).optional(),
    ids: idsSchema.optional(),
    metadata: gathered('metadata', z.string()).describe(
      '`metadata.KEY=VALUE`: datapoints that have it; may come for several keys.',
    ),
    sample: queryNumberSchema
      .pipe(z.number().int().min(1))
      .optional()
      .describe('So many of those that `source`, `ids` and `metadata` take, chosen by chance.'),
    seed: queryNumberSchema
      .pipe(z.number().int())
      .optional()
      .describe('Requests with the same seed choose the same datapoints; 0 when left out.'),
    sort_order: z.enum(['asc', 'desc']).default('asc').describe('`asc`: oldest first.'),
    preview: previewSchema,
  }),
);
export type ListDatapoints = z.output<typeof listDatapointsSchema>;

const previewText = (what: string) => z.string().nullable().describe(`The beginning of ${what}; \`null\` for none.`);

/** A datapoint with the beginnings of its texts in place of its kind. */
export const datapointPreviewSchema = datapointSchema
  .omit({ kind: true })
  .extend({
    variant: z.enum(['Generic', 'LlmConversation']),
    kind_bytes: countSchema.describe('Bytes of the kind as JSON, a result of a run not counted.'),
    input_preview: previewText('the last user message, or of the input'),
    expected_preview: previewText('the expected output'),
    actual_preview: previewText('the newest output'),
    score: z.number().nullable().describe('The newest score.'),
  })
  .meta({ id: 'DatapointPreview', description: 'A datapoint without its kind.' });
export type DatapointPreview = z.output<typeof datapointPreviewSchema>;

const datapointPreviewListSchema = listAnswer('DatapointPreviewList', 'datapoints', datapointPreviewSchema);

/** Answer of `GET /api/datasets/:id/datapoints`, whole or as previews. */
export const listedDatapointsSchema = z.union([datapointListSchema, datapointPreviewListSchema]);
