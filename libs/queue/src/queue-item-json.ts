import { formatTimestamp } from '@spandrel/contract';
import type { WireEvent } from '@spandrel/events';
import { type QueueItemRow, queueStatusName } from './queue-item.entity.js';
import { writtenPage, type WrittenJson } from '@spandrel/http';
import type { Page } from '@spandrel/storage';

/**
 * A stored queue item as the wire shows it (docs/spec/queue.md), as JSON: made without parsing and writing again what can be
 * large.
 */
export function queueItemJson(item: QueueItemRow): string {
  const members = {
    id: item.id,
    dataset_id: item.datasetId,
    datapoint_id: item.datapointId,
    status: queueStatusName(item.status),
    claimed_by: item.claimedBy,
    claimed_by_name: item.claimedByName,
    claimed_at: item.claimedAt === null ? null : formatTimestamp(item.claimedAt),
  };
  return (
    `${JSON.stringify(members).slice(0, -1)},"original_data":${item.originalData},` +
    `"edited_data":${item.editedData ?? 'null'},"created_at":"${formatTimestamp(item.createdAt)}"}`
  );
}

/** The event of a queue item that changed. */
export const queueItemUpdated = (item: QueueItemRow): WireEvent => ({
  type: 'queue_item_updated',
  json: `{"type":"queue_item_updated","item":${queueItemJson(item)}}`,
});

/** A page as the wire shows it. */
export const queuePage = ({ items, nextCursor }: Page<QueueItemRow>): WrittenJson =>
  writtenPage('items', items.values().map(queueItemJson), nextCursor);
