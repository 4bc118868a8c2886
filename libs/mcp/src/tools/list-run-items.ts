import { lastQuestionOf, listEvalItemsSchema, type EvalItem } from '@spandrel/contract';
import { z } from 'zod';
import { previewOf } from '../answers/slim.js';
import { defineListTool } from './list-tool.js';

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
