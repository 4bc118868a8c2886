import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf, tableOf } from '@spandrel/storage';
import { QUEUE_STATUSES, type QueueStatus } from '@spandrel/contract';

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

/** Statuses of queue items as the table holds them. */
export const QUEUE_STATUS = { pending: 0, claimed: 1, completed: 2 } as const satisfies Record<QueueStatus, number>;

export const queueStatusName = (status: number): QueueStatus => QUEUE_STATUSES[status] ?? 'pending';

export const queueItemTable = tableOf(QueueItemSchema, ['projectId', 'id']);
