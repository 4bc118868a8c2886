import {
  createDatapointSchema,
  createDatasetSchema,
  createScoreSchema,
  datapointKindSchema,
  enqueueSchema,
  enqueueTargetsSchema,
  exportSpanSchema,
  startEvalSchema,
  type EvalRunSummary,
} from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { DomainError, Invalid, invalidRequest, schemaFaults } from '@spandrel/kernel';
import { z } from 'zod';
import { runItem, previewOf } from '../answers/slim.js';
import { fitList, fitParts } from '../answers/fit.js';
import { apiArguments } from '../arguments/api-arguments.js';
import { argumentSchema } from '../arguments/argument-schema.js';
import { reviewItem } from './evaluation-lists.js';
import { defineTool } from './tool.js';

const datasetId = z.string().describe('Id of the dataset.');

export const createDataset = defineTool({
  name: 'create_dataset',
  title: 'Create a dataset',
  description: 'Makes an empty dataset and answers it. Fill it with add_datapoints or export_span.',
  operations: ['createDataset'],
  writes: true,
  arguments: () => apiArguments(createDatasetSchema),
  answer: async (body, { api, maxChars }) =>
    fitParts([{ name: 'dataset', value: await api.call({ operation: 'createDataset', body }) }], maxChars),
});

const DATAPOINTS_MAX = 100;

export const addDatapoints = defineTool({
  name: 'add_datapoints',
  title: 'Add datapoints',
  description: `Adds up to ${DATAPOINTS_MAX} datapoints (test cases) to a dataset, in their order, and answers their ids. A faulty one refuses the whole call before any is made. Each is {"Generic":{"input":…,"expected_output":…}} or {"LlmConversation":{"messages":[{"role":…,"content":…}],"expected":…}}.`,
  operations: ['createDatapoint'],
  writes: true,
  arguments: () => ({
    dataset_id: datasetId,
    datapoints: z
      .array(z.unknown())
      .min(1)
      .max(DATAPOINTS_MAX)
      .meta({
        openapi: { type: 'array', minItems: 1, maxItems: DATAPOINTS_MAX, items: kindSchema() },
      }),
  }),
  answer: async ({ dataset_id, datapoints }, { api }) => {
    assertKinds(datapoints);
    const ids: string[] = [];
    try {
      for (const kind of datapoints) ids.push(await create(api, dataset_id, kind));
    } catch (error) {
      if (ids.length === 0 || !(error instanceof DomainError)) throw error;
      const detail = `${error.message}; the first ${ids.length} of ${datapoints.length} datapoints were added`;
      throw new DomainError(error.code, detail, { cause: error });
    }
    return JSON.stringify({ dataset_id, datapoint_ids: ids, count: ids.length });
  },
});

const kindSchema = (): unknown =>
  (argumentSchema(createDatapointSchema) as { properties: { kind: unknown } }).properties.kind;

/** @throws Invalid naming every fault of every datapoint, as the API would for each. */
function assertKinds(datapoints: readonly unknown[]): void {
  const schema = z.object({ datapoints: z.array(datapointKindSchema) });
  const { error } = schema.safeParse({ datapoints });
  if (error) throw invalidRequest(schemaFaults(error, schema), 'the arguments') satisfies Invalid;
}

async function create(api: CallerApi, datasetId: string, kind: unknown): Promise<string> {
  const made = await api.call({ operation: 'createDatapoint', path: { id: datasetId }, body: { kind } });
  return (made as { id: string }).id;
}

export const exportSpan = defineTool({
  name: 'export_span',
  title: 'Make a datapoint of a span',
  description:
    'Makes a datapoint of a recorded span: its input, with its output as what is expected. Each call makes one.',
  operations: ['exportSpan'],
  writes: true,
  arguments: () => ({ dataset_id: datasetId, ...apiArguments(exportSpanSchema) }),
  answer: async ({ dataset_id, ...body }, { api, maxChars }) => {
    const made = await api.call({ operation: 'exportSpan', path: { id: dataset_id }, body });
    const { kind, ...datapoint } = made as Record<string, unknown>;
    return fitParts([{ name: 'datapoint', value: { ...datapoint, kind_preview: previewOf(kind) } }], maxChars);
  },
});

export const startRun = defineTool({
  name: 'start_run',
  title: 'Start an eval run',
  description:
    'Starts an eval run over a dataset and answers it, pending: the server calls the model for each datapoint, which spends money (max_cost_usd caps it), and scores the outputs. With an id chosen here the same call again answers the same run and starts nothing. list_runs shows connection_ids that were used before. Watch it with get_run.',
  operations: ['startEval'],
  writes: true,
  openWorld: true,
  arguments: () => ({ dataset_id: datasetId, ...apiArguments(startEvalSchema) }),
  answer: ({ dataset_id, ...body }, { api, maxChars }) =>
    answerRun(api, { operation: 'startEval', path: { id: dataset_id }, body }, maxChars),
});

export const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Cancel an eval run',
  description: 'Cancels an eval run that is running and answers it; what it has done so far stays.',
  operations: ['cancelEval'],
  writes: true,
  idempotent: true,
  arguments: () => ({ run_id: z.string() }),
  answer: ({ run_id }, { api, maxChars }) =>
    answerRun(api, { operation: 'cancelEval', path: { id: run_id } }, maxChars),
});

async function answerRun(api: CallerApi, call: Parameters<CallerApi['call']>[0], maxChars: number): Promise<string> {
  const { result_items: _items, ...run } = (await api.call(call)) as unknown as EvalRunSummary & {
    result_items?: unknown;
  };
  return fitParts([{ name: 'run', value: runItem(run) }], maxChars);
}

export const enqueueReviews = defineTool({
  name: 'enqueue_reviews',
  title: 'Ask people to review',
  description:
    'Puts datapoints of a dataset, or traces, spans or sessions, into their review queue, for people to check. What is in it already stays there once. An unknown id enqueues nothing.',
  operations: ['enqueueDatapoints', 'enqueueTargets'],
  writes: true,
  idempotent: true,
  arguments: () => ({
    dataset_id: datasetId.optional(),
    ...apiArguments(enqueueTargetsSchema.safeExtend({ datapoint_ids: enqueueSchema.shape.datapoint_ids.optional() })),
  }),
  answer: async ({ dataset_id: id, ...body }, { api, maxChars }) => {
    const { items } = (await api.call(
      typeof id === 'string'
        ? { operation: 'enqueueDatapoints', path: { id }, body }
        : { operation: 'enqueueTargets', body },
    )) as unknown as { items: Readonly<Record<string, unknown>>[] };
    const read = async (count: number) => {
      const others = { count: items.length, ...(items.length > count && { left_out: items.length - count }) };
      return { items: items.slice(0, count).map(reviewItem), nextCursor: null, others };
    };
    return fitList({ name: 'reviews', limit: items.length, maxChars, read });
  },
});

export const addScore = defineTool({
  name: 'add_score',
  title: 'Score a trace, a span or a session',
  description:
    'Adds a score with a value, a label or a comment to one trace, span or session, and answers it. With an id chosen here the same call again answers the same score.',
  operations: ['createScore'],
  writes: true,
  arguments: () => apiArguments(createScoreSchema),
  answer: async (body, { api, maxChars }) =>
    fitParts([{ name: 'score', value: await api.call({ operation: 'createScore', body }) }], maxChars),
});
