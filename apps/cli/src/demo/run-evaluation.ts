import type { EvalRunResource } from '@spandrel/contract';
import { StartError } from '@spandrel/kernel/launch';
import type { ApiClient } from './api-client.js';
import { DEMO_MARKS } from './demo-marks.js';
import { poll } from './poll.js';

/** Runs the fake model over the dataset and waits for the scores. Each item has a trace of what was sent. */
export async function runEvaluation(api: ApiClient, connectionId: string): Promise<void> {
  const run = await api.post<EvalRunResource>(`/api/datasets/${DEMO_MARKS.datasetId}/eval`, {
    name: 'Demo: the fake model, one answer wrong',
    config: { connection_id: connectionId, temperature: 0, trace: true },
    scoring: 'Contains',
  });
  const ended = await poll(async () => {
    const now = await api.get<EvalRunResource>(`/api/eval/${run.id}`);
    return now.ended_at === null ? undefined : now;
  }, `the eval run ${run.id} did not end; GET /api/eval/${run.id} shows how far it is`);
  if (ended.status === 'completed' && ended.failed_count === 0) return;
  const item = ended.result_items.find(({ error }) => error !== null);
  throw new StartError([
    `the eval run ended as ${ended.status}: ${ended.error ?? item?.error ?? 'no reason is known'}`,
  ]);
}
