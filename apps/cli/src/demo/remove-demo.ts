import type { ApiClient } from './api-client.js';
import { DEMO_MARKS } from './demo-marks.js';
import type { FoundDemo } from './find-demo.js';

/**
 * Removes what was found, each by its id; what is gone already is passed over. The dataset takes its capture rule,
 * datapoints, runs and queue items along, and goes first: its unfinished run would hold the connection.
 */
export async function removeDemo(api: ApiClient, { traces, dataset, connections }: FoundDemo): Promise<void> {
  if (dataset) await api.delete(`/api/datasets/${DEMO_MARKS.datasetId}`);
  for (const { id } of connections) await api.delete(`/api/provider-connections/${id}`);
  for (const { id } of traces) await api.delete(`/api/traces/${id}`);
}
