import type { DatasetResource } from '@spandrel/contract';
import { call } from './call.js';

/** `GET /api/datasets`: the largest page of them. */
export async function listDatasets(signal?: AbortSignal): Promise<readonly DatasetResource[]> {
  const { datasets } = await call<{ datasets: DatasetResource[] }>('/api/datasets', signal && { signal });
  return datasets;
}

/** `POST /api/datasets`. @throws ApiError when there is one of this name. */
export const createDataset = (name: string): Promise<DatasetResource> =>
  call('/api/datasets', { method: 'POST', body: { name } });

/** `POST /api/datasets/:id/export-span`: the span becomes a datapoint. */
export const exportSpan = (datasetId: string, spanId: string): Promise<{ id: string; dataset_id: string }> =>
  call(`/api/datasets/${encodeURIComponent(datasetId)}/export-span`, { method: 'POST', body: { span_id: spanId } });
