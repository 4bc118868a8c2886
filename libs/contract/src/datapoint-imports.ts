import { z } from 'zod';
import { problemSchema } from './errors.js';
import { queryBooleanSchema } from './lists.js';
import { countSchema } from './values/numbers.js';
import { nameSchema } from './values/text.js';

/** Query of `POST /api/datasets/:id/import`. */
export const importQuerySchema = z.object({
  on_error: z.enum(['reject', 'skip']).default('reject').describe('What a bad row does: reject the file, or itself.'),
  filename: nameSchema.optional().describe('Names the file of a raw body.'),
  dedupe: queryBooleanSchema
    .default(false)
    .describe('Leaves rows out whose content the dataset, or an earlier row, has already.'),
  replace: queryBooleanSchema
    .default(false)
    .describe('Makes the dataset what the file is: other datapoints go, those that a row has the content of stay.'),
});
export type ImportQuery = z.output<typeof importQuerySchema>;

/** Answer of an import; `skipped` comes with `on_error=skip`. */
export const importResultSchema = z
  .object({
    imported: countSchema.describe('Rows that became datapoints; with `replace` also those that were there and stay.'),
    dataset_id: z.string(),
    columns_used: z
      .array(z.object({ column: z.string(), member: z.string(), rows: countSchema }))
      .describe('Columns of the file, or members of its objects, each with the member of the datapoints it became.'),
    columns_ignored: z
      .array(z.object({ column: z.string(), rows: countSchema }))
      .describe('The first 100 columns that became nothing, each with the number of rows that have a value there.'),
    without_expected_count: countSchema.describe('Imported rows without an expected value.'),
    hint: z.string().exactOptional().describe('What to do about rows without an expected value, when there are some.'),
    duplicates: countSchema
      .exactOptional()
      .describe(
        'Rows whose content the dataset had already, when there are some: left out with `dedupe`, kept as they are with `replace`, imported once more otherwise.',
      ),
    removed: countSchema.exactOptional().describe('With `replace`: datapoints that the file does not have.'),
    skipped: z
      .array(z.object({ line: countSchema, message: z.string() }))
      .exactOptional()
      .describe('With `on_error=skip`: the first of the rows that were left out, by their line in the file.'),
    skipped_count: countSchema.exactOptional().describe('With `on_error=skip`: how many rows were left out.'),
    skipped_empty_rows: countSchema
      .exactOptional()
      .describe('How many rows had nothing but empty cells, or no members, when there are some.'),
  })
  .meta({ id: 'ImportResult' });
export type ImportResult = z.output<typeof importResultSchema>;

/** A line of the answer to an import with `Accept: application/x-ndjson` (docs/spec/import-export.md#progress-of-an-import). */
export const importLineSchema = z
  .union([
    z.object({ rows: countSchema.describe('Rows read so far.') }),
    z.object({
      status: z.number().int().describe('The status that the answer would have had.'),
      body: z.union([importResultSchema, problemSchema]),
    }),
  ])
  .meta({ id: 'ImportLine', description: 'The last line has `status` and `body`.' });
export type ImportLine = z.output<typeof importLineSchema>;
