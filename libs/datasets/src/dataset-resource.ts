import { formatTimestamp, type DatasetResource } from '@spandrel/contract';
import type { DatasetRow } from './dataset.entity.js';

/** A stored dataset as the wire shows it. */
export const datasetResource = (dataset: DatasetRow): DatasetResource => ({
  id: dataset.id,
  name: dataset.name,
  description: dataset.description,
  datapoint_count: dataset.datapointCount,
  version: dataset.version,
  created_at: formatTimestamp(dataset.createdAt),
  updated_at: formatTimestamp(dataset.updatedAt),
});
