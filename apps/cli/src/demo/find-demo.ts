import { EVAL_TAG, type ConnectionResource, type DatasetResource, type TraceListItem } from '@spandrel/contract';
import type { ApiClient } from './api-client.js';
import { findConnections } from './connect-model.js';
import { DEMO_MARKS } from './demo-marks.js';
import { HALF_MADE } from './make-dataset.js';

/** What there is of the demo. */
export interface FoundDemo {
  /** With the traces of the items of its runs. */
  traces: TraceListItem[];
  dataset: DatasetResource | undefined;
  connections: ConnectionResource[];
  /** `half`: an earlier command was interrupted, or somebody deleted a part. */
  state: 'none' | 'half' | 'whole';
}

/** Looks for everything that an earlier command made. */
export async function findDemo(api: ApiClient): Promise<FoundDemo> {
  const tagged = (tag: string): Promise<TraceListItem[]> => api.list(`/api/traces?limit=1000&tag=${tag}`, 'traces');
  const recorded = (await tagged(DEMO_MARKS.tag)).filter(({ id }) => id.startsWith(DEMO_MARKS.traceIdPrefix));
  const ofRuns = (await tagged(EVAL_TAG)).filter(({ metadata }) => metadata['dataset_id'] === DEMO_MARKS.datasetId);
  const traces = [...recorded, ...ofRuns];
  const dataset = await api.find<DatasetResource>(`/api/datasets/${DEMO_MARKS.datasetId}`);
  const connections = await findConnections(api);
  const isEmpty = traces.length === 0 && !dataset && connections.length === 0;
  const isWhole = recorded.length > 0 && dataset && dataset.description !== HALF_MADE && connections.length > 0;
  return { traces, dataset, connections, state: isEmpty ? 'none' : isWhole ? 'whole' : 'half' };
}
