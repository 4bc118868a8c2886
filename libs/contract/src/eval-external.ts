import { z } from 'zod';
import { boundedList, boundedMembers } from './values/bounded.js';
import { SCORERS_MAX } from './eval-start.js';
import { REPEATS_MAX } from './eval-gates.js';
import { amountSchema, countSchema, settingNumber } from './values/numbers.js';
import { jsonObjectSchema, keySchema } from './values/text.js';

export const EXTERNAL_RESULTS_MAX = 1_000;

const scoreSchema = settingNumber(z.number().min(0).max(1));

const givenScoreSchema = z.union([scoreSchema, z.object({ score: scoreSchema, reason: z.string().nullish() })]);

/** One result of an external run; what is wrong with it rejects it alone. */
export const externalResultSchema = z
  .object({
    datapoint_id: keySchema,
    repeat: settingNumber(
      z
        .number()
        .int()
        .min(0)
        .max(REPEATS_MAX - 1)
        .nullish(),
    ).describe('0 when left out.'),
    output: z.string().nullish(),
    error: z.string().nullish(),
    scores: boundedMembers(z.record(z.string(), givenScoreSchema), SCORERS_MAX)
      .nullish()
      .describe('Scores by the name of the `External` scorer.'),
    latency_ms: settingNumber(amountSchema.nullish()),
    input_tokens: settingNumber(countSchema.nullish()),
    output_tokens: settingNumber(countSchema.nullish()),
    cost: settingNumber(amountSchema.nullish()).describe('Dollars; priced from model and tokens when left out.'),
    trace_id: keySchema.nullish(),
    span_id: keySchema.nullish(),
    metadata: jsonObjectSchema.nullish(),
  })
  .refine(({ output, error }) => ((output ?? null) === null) !== ((error ?? null) === null), {
    path: ['output'],
    error: 'either output or error is required, not both',
  })
  .meta({ id: 'ExternalResult' });
export type ExternalResult = z.output<typeof externalResultSchema>;

/** `POST /api/eval/:run_id/results`. */
export const addResultsSchema = z
  .object({
    results: boundedList(z.unknown().meta({ describedBy: externalResultSchema }), EXTERNAL_RESULTS_MAX, 1),
    on_conflict: z
      .enum(['reject', 'replace'])
      .nullish()
      .describe('`replace`: takes the place of a result that is there. `reject` when left out.'),
  })
  .meta({ id: 'AddEvalResults' });
export type AddResults = z.output<typeof addResultsSchema>;

/** Answer of `POST /api/eval/:run_id/results`. */
export const addedResultsSchema = z
  .object({
    accepted: countSchema.describe('Results taken, including those that were there already.'),
    rejected: z.array(z.object({ index: countSchema, code: z.string(), message: z.string() })),
  })
  .meta({ id: 'AddedEvalResults' });
export type AddedResults = z.output<typeof addedResultsSchema>;
