import { z } from 'zod';
import { datapointKindSchema } from './datasets.js';
import { compareSchema, resultItemSchema, RESULT_STATUSES } from './evals.js';
import { listAnswer, queryBooleanSchema, queryNumberSchema, paging } from './lists.js';
import { amountSchema, costSchema, countSchema } from './values/numbers.js';
import { jsonValueSchema } from './values/text.js';
import { timestampTextSchema } from './values/timestamp.js';

/** Query of `GET /api/eval/:run_id`. */
export const readEvalSchema = z.object({
  items: z.enum(['all', 'none']).default('all').describe('`none`: `result_items` is empty.'),
});
export type ReadEval = z.output<typeof readEvalSchema>;

/** What items of a run are sorted by (docs/spec/evaluations.md#listing-result-items). */
export const ITEM_SORT_KEYS = ['order', 'score', 'latency', 'cost'] as const;
export type ItemSortKey = (typeof ITEM_SORT_KEYS)[number];

const ITEM_PARTS = ['kind', 'samples'] as const;

const datapointIdSchema = z
  .string()
  .optional()
  .describe('The item of this datapoint alone; filters, order and cursor do not count then.');

/** Query of `GET /api/eval/:run_id/items`. */
export const listEvalItemsSchema = z.object({
  datapoint_id: datapointIdSchema,
  status: z.enum(RESULT_STATUSES).optional(),
  score_max: queryNumberSchema
    .pipe(z.number().min(0).max(1))
    .optional()
    .describe('Items with this score or a lower one.'),
  passed: queryBooleanSchema
    .optional()
    .describe('Processed items whose `passed` is this: `false` where a sample has scores that do not pass.'),
  flaky: queryBooleanSchema
    .optional()
    .describe('Processed items of which some samples pass and others do not; `false`: all other processed items.'),
  sort_by: z
    .enum(ITEM_SORT_KEYS)
    .default('order')
    .describe('`cost` counts judges, too. Items without the value come last.'),
  sort_order: z.enum(['asc', 'desc']).default('asc'),
  include: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(ITEM_PARTS)))
    .optional()
    .describe('`kind`, `samples` or both, separated by a comma.'),
  ...paging(),
  format: z
    .enum(['json', 'csv', 'parquet'])
    .default('json')
    .describe('`csv`, `parquet`: all items as a table, whatever the `limit`; with `include=samples` a row a sample.'),
});
export type ListEvalItems = z.output<typeof listEvalItemsSchema>;

export const evalItemSchema = resultItemSchema
  .extend({ kind: datapointKindSchema.exactOptional() })
  .meta({ id: 'EvalItem' });
export type EvalItem = z.output<typeof evalItemSchema>;

export const evalItemListSchema = listAnswer('EvalItemList', 'items', evalItemSchema);
export type EvalItemList = z.output<typeof evalItemListSchema>;

export const COMPARED_ONLY = ['all', 'regressed', 'improved', 'changed', 'failed'] as const;
export type ComparedOnly = (typeof COMPARED_ONLY)[number];

/** Query of `GET /api/datasets/:id/compare/items` (docs/spec/comparison.md#items-of-a-comparison). */
export const compareItemsSchema = compareSchema.extend({
  baseline: z.string().optional().describe('One of `runs`; the first when left out.'),
  datapoint_id: datapointIdSchema,
  only: z.enum(COMPARED_ONLY).default('all'),
  include: z.enum(['samples']).optional().describe('`samples`: all tries of each run.'),
  order: z
    .enum(['regression', 'position'])
    .default('regression')
    .describe('`regression`: the largest fall first, what cannot be compared last.'),
  ...paging(),
});
export type CompareItems = z.output<typeof compareItemsSchema>;

const summarySchema = z.object({
  compared: countSchema.describe('Datapoints with a delta: the sum of the next three.'),
  regressed: countSchema,
  improved: countSchema,
  unchanged: countSchema,
  incomparable: countSchema.describe(
    'Datapoints without a score in the baseline, or in all other runs, and those edited in between.',
  ),
  mean_delta: z.number().nullable().describe('Mean change of the score over the compared datapoints.'),
});

const comparedItemSchema = z
  .object({
    datapoint_id: z.string(),
    input: jsonValueSchema,
    expected: z.string().nullable(),
    delta: z
      .number()
      .nullable()
      .describe('Score less that of the baseline: the largest fall of any run, else the largest rise.'),
    results: z
      .array(
        resultItemSchema.pick({ output: true, score: true, score_reason: true, error: true, trace_id: true }).extend({
          run_id: z.string(),
          status: z.enum(RESULT_STATUSES).nullable(),
          edited: z.boolean().nullable().describe('Whether the datapoint is another one than the baseline had.'),
          latency_ms: amountSchema.nullable(),
          tokens: countSchema.nullable(),
          cost: costSchema,
          judge_cost: costSchema,
          ...resultItemSchema.pick({ passed: true, samples: true, worst_repeat: true }).shape,
        }),
      )
      .describe('In the order of `runs`; all but `run_id` is `null` where the run did not have the datapoint.'),
  })
  .meta({ id: 'ComparedItem' });
export type ComparedItem = z.output<typeof comparedItemSchema>;

export const comparedItemListSchema = listAnswer('ComparedItemList', 'items', comparedItemSchema, {
  summary: summarySchema,
});
export type ComparedItemList = z.output<typeof comparedItemListSchema>;

/** Query of `GET /api/datasets/:id/datapoints/:dp_id/results`. */
export const listDatapointResultsSchema = z.object(paging());
export type ListDatapointResults = z.output<typeof listDatapointResultsSchema>;

/** What became of a datapoint in one of the runs that processed it. */
const datapointResultSchema = resultItemSchema
  .pick({ status: true, score: true, latency_ms: true, tokens: true, cost: true, judge_cost: true })
  .extend({
    run_id: z.string(),
    run_name: z.string(),
    model: z.string().nullable(),
    repeats: countSchema,
    passed: z.boolean().nullable().describe('Whether all of its samples that have a score pass.'),
    worst_repeat: countSchema.nullable().describe('The sample with the lowest score, else the first that failed.'),
    worst_score: z.number().nullable().describe('The score of that sample.'),
    created_at: timestampTextSchema.describe('When the run was made.'),
  })
  .meta({ id: 'DatapointRunResult' });
export type DatapointRunResult = z.output<typeof datapointResultSchema>;

export const datapointResultListSchema = listAnswer('DatapointRunResultList', 'results', datapointResultSchema);
export type DatapointRunResultList = z.output<typeof datapointResultListSchema>;
