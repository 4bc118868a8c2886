import { formatTimestamp, type DatapointKind, type QueueItemResource } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import type { QueueItemRow } from './queue-item.entity.js';
import { queueStatusName } from './queue-status.js';

/** A stored queue item as the wire shows it. */
export const queueItemResource = (item: QueueItemRow): QueueItemResource => ({
  id: item.id,
  dataset_id: item.datasetId,
  datapoint_id: item.datapointId,
  status: queueStatusName(item.status),
  claimed_by: item.claimedBy,
  claimed_by_name: item.claimedByName,
  claimed_at: item.claimedAt === null ? null : formatTimestamp(item.claimedAt),
  original_data: fromJsonText(item.originalData) as DatapointKind,
  edited_data: fromJsonText(item.editedData),
  created_at: formatTimestamp(item.createdAt),
});
