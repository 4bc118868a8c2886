import { z } from 'zod';
import { queryBooleanSchema, repeatable } from './lists.js';
import { importJsonResultSchema } from './transfer.js';
import { countSchema } from './values/numbers.js';
import { timestampTextSchema } from './values/timestamp.js';

/** The one format of files with traces that this version writes and reads (docs/replay.md#one-file). */
export const BUNDLE_FORMAT = 1;
export const BUNDLED_TRACES_MAX = 100;

/** Query of `GET /api/traces/:id/bundle`. */
export const bundleQuerySchema = z.object({
  mask: queryBooleanSchema
    .default(false)
    .describe('Masks all texts by the rules that the project has now; refused where it has none.'),
  with: repeatable(z.string(), BUNDLED_TRACES_MAX - 1)
    .optional()
    .describe(`Ids of other traces for the same file, up to ${BUNDLED_TRACES_MAX - 1}.`),
});
export type BundleQuery = z.output<typeof bundleQuerySchema>;

/** What a file says of itself. */
export const bundleManifestSchema = z.object({
  format: z.literal(BUNDLE_FORMAT),
  version: z.string().describe('The version of Spandrel that wrote the file.'),
  created_at: timestampTextSchema,
  masked: z.boolean(),
  traces: z.array(z.object({ id: z.string(), name: z.string().nullable(), started_at: timestampTextSchema })),
  parts: z.array(
    z.object({
      name: z.string(),
      bytes: countSchema.describe('Compressed.'),
      sha256: z.string().describe('The digest of the compressed bytes.'),
    }),
  ),
});
export type BundleManifest = z.output<typeof bundleManifestSchema>;

/** Answer of `POST /api/import/bundle`. */
export const importBundleResultSchema = importJsonResultSchema
  .extend({ trace_ids: z.array(z.string()).describe('The traces of the file, in its order.') })
  .meta({ id: 'ImportBundleResult' });
export type ImportBundleResult = z.output<typeof importBundleResultSchema>;
