import { createDatapointSchema, datapointKindSchema } from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { DomainError, Invalid, invalidRequest, schemaFaults } from '@spandrel/kernel';
import { z } from 'zod';
import { argumentSchema } from '../arguments/argument-schema.js';
import { defineTool } from './tool.js';

const DATAPOINTS_MAX = 100;

export const addDatapoints = defineTool({
  name: 'add_datapoints',
  title: 'Add datapoints',
  description: `Adds up to ${DATAPOINTS_MAX} datapoints (test cases) to a dataset, in their order, and answers their ids. A faulty one refuses the whole call before any is made. Each is {"Generic":{"input":…,"expected_output":…}} or {"LlmConversation":{"messages":[{"role":…,"content":…}],"expected":…}}.`,
  operations: ['createDatapoint'],
  writes: true,
  arguments: () => ({
    dataset_id: z.string().describe('Id of the dataset.'),
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
