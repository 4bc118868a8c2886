import type { EvalRunSummary } from '@spandrel/contract';
import type { ApiClient } from './api-client.js';
import { DEMO_MARKS } from './demo-marks.js';
import { findDemo, type FoundDemo } from './find-demo.js';
import { poll } from './poll.js';

const DATASET = `/api/datasets/${DEMO_MARKS.datasetId}`;

/**
 * Removes all that there is of the demo, each thing by its id; what is gone already is passed over. The dataset takes its
 * capture rule, datapoints, runs and queue items along.
 * @returns what was removed.
 */
export async function removeDemo(api: ApiClient): Promise<FoundDemo> {
  await endOfRuns(api);
  const found = await findDemo(api);
  if (found.dataset) await api.delete(DATASET);
  for (const { id } of found.connections) await api.delete(`/api/provider-connections/${id}`);
  for (const { id } of found.traces) await api.delete(`/api/traces/${id}`);
  return found;
}

/** A run that goes on would write traces behind the removal. One that was interrupted ends soon: its model is gone. */
async function endOfRuns(api: ApiClient): Promise<void> {
  await poll(async () => {
    const page = await api.find<{ runs: EvalRunSummary[] }>(`${DATASET}/eval`);
    return page?.runs.some(({ ended_at: endedAt }) => endedAt === null) ? undefined : true;
  }, 'a run over the dataset of the demo goes on; wait for its end, or cancel it: POST /api/eval/:run_id/cancel');
}
