import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A datapoint on its way through a review. */
export const QueueItemSchema = defineEntity({
  name: 'QueueItem',
  tableName: 'queue_item',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    datasetId: p.text(),
    datapointId: p.text(),
    /** {@link QUEUE_STATUS}. */
    status: p.smallint(),
    claimedBy: p.text().nullable(),
    /** What the reviewer was called when they claimed it. */
    claimedByName: p.text().nullable(),
    claimedAt: p.bigint('number').nullable(),
    /** JSON: the datapoint's kind when it was enqueued. */
    originalData: p.text(),
    /** JSON. */
    editedData: p.text().nullable(),
    createdAt: p.bigint('number'),
  },
  indexes: [
    { name: 'queue_item_dataset', properties: ['projectId', 'datasetId', 'id'] },
    { name: 'queue_item_dataset_status', properties: ['projectId', 'datasetId', 'status', 'id'] },
    { name: 'queue_item_status', properties: ['projectId', 'status', 'id'] },
    { name: 'queue_item_reviewer', properties: ['projectId', 'claimedBy', 'id'], where: 'claimed_by is not null' },
    { name: 'queue_item_datapoint', properties: ['projectId', 'datasetId', 'datapointId', 'status'] },
    { name: 'queue_item_claimed', properties: ['claimedAt'], where: 'status = 1' },
  ],
});

export type QueueItemRow = RowOf<typeof QueueItemSchema>;
export const QueueItem = entityOf(QueueItemSchema);
