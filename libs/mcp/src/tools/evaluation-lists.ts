import {
  lastQuestionOf,
  listDatapointsSchema,
  listEvalItemsSchema,
  listEvalRunsSchema,
  listQueueSchema,
  plainListSchema,
  type EvalItem,
} from '@spandrel/contract';
import { z } from 'zod';
import { PREVIEW_CHARS } from '../answers/cut-text.js';
import { previewOf, runItem } from '../answers/slim.js';
import { queryOf } from '../arguments/api-arguments.js';
import { defineListTool } from './list-tool.js';

export const listDatasets = defineListTool({
  name: 'list_datasets',
  title: 'List datasets',
  description: 'Lists datasets (named collections of test cases), newest first.',
  operations: ['listDatasets'],
  query: plainListSchema,
  from: 'datasets',
});

const datasetId = z.string().describe('Id of the dataset.');

export const listDatapoints = defineListTool({
  name: 'list_datapoints',
  title: 'List datapoints',
  description:
    'Lists the datapoints (test cases) of a dataset, oldest first, with the beginnings of input, expected and newest output.',
  operations: ['listDatapoints'],
  query: listDatapointsSchema,
  others: { dataset_id: datasetId },
  from: 'datapoints',
  call: ({ dataset_id, ...args }) => ({
    operation: 'listDatapoints',
    path: { id: dataset_id as string },
    query: queryOf(args),
  }),
  fixed: { preview: PREVIEW_CHARS },
  item: ({ dataset_id: _dataset, ...datapoint }) => datapoint,
});

export const listRuns = defineListTool({
  name: 'list_runs',
  title: 'List eval runs',
  description:
    'Lists eval runs (a model or an application tried on a dataset), newest first, of one dataset or of all. Look into one with get_run and list_run_items.',
  operations: ['listEvalRuns'],
  query: listEvalRunsSchema,
  omit: ['metadata'],
  others: {
    metadata: z
      .unknown()
      .optional()
      .meta({
        openapi: { type: 'object', additionalProperties: { type: 'string' } },
        description: 'Runs that have these texts by key.',
      }),
  },
  from: 'runs',
  item: runItem,
});

export const listReviews = defineListTool({
  name: 'list_reviews',
  title: 'List reviews',
  description:
    'Lists items of the review queue (datapoints, traces, spans and sessions that people check), oldest first, of one dataset or of all.',
  operations: ['listQueue', 'listDatasetQueue'],
  query: listQueueSchema,
  others: { dataset_id: datasetId.optional() },
  from: 'items',
  to: 'reviews',
  call: ({ dataset_id, ...args }) =>
    typeof dataset_id === 'string'
      ? { operation: 'listDatasetQueue', path: { id: dataset_id }, query: queryOf(args) }
      : { operation: 'listQueue', query: queryOf(args) },
  item: reviewItem,
});

/** A queue item without its texts. */
export function reviewItem({
  original_data,
  edited_data,
  ...item
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...item, original_preview: previewOf(original_data), edited_preview: previewOf(edited_data) };
}

/** What the API sorts by, for each order of the tool. */
const ORDERS = {
  worst: { sort_by: 'score', sort_order: 'asc' },
  best: { sort_by: 'score', sort_order: 'desc' },
  order: { sort_by: 'order', sort_order: 'asc' },
} as const;

export const listRunItems = defineListTool({
  name: 'list_run_items',
  title: 'Items of an eval run',
  description:
    'Lists the items of an eval run (one a datapoint): input, output, expected text, score with the reason, error, cost; worst first, best first, or in the order of the dataset. An item with a trace_id is read whole with get_trace and get_span.',
  operations: ['listEvalItems'],
  query: listEvalItemsSchema,
  omit: ['sort_by', 'sort_order', 'include', 'score_max', 'datapoint_id'],
  others: {
    run_id: z.string(),
    sort: z
      .enum(Object.keys(ORDERS) as [keyof typeof ORDERS])
      .optional()
      .meta({ default: 'order' }),
  },
  from: 'items',
  call: ({ run_id, sort, status, cursor }) => ({
    operation: 'listEvalItems',
    path: { id: run_id as string },
    query: {
      ...ORDERS[(sort as keyof typeof ORDERS | undefined) ?? 'order'],
      status: status as string | undefined,
      cursor: cursor as string | undefined,
    },
  }),
  item: (item) => runItemRow(item as unknown as EvalItem),
});

function runItemRow({ input, output, expected, score_reason, error, scores, metadata, ...item }: EvalItem): object {
  const { judge_prompt_hash: _hash, samples: _samples, kind: _kind, attempts: _attempts, ...shown } = item;
  const several = Object.keys(scores).length > 1;
  return {
    ...shown,
    input_preview: previewOf(lastQuestionOf(input) ?? input),
    output_preview: previewOf(output),
    expected_preview: previewOf(expected),
    score_reason,
    error,
    scores: several ? Object.fromEntries(Object.entries(scores).map(([name, { score }]) => [name, score])) : undefined,
    metadata_preview: metadata && Object.keys(metadata).length > 0 ? previewOf(metadata) : undefined,
  };
}
