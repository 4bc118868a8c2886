import { QUEUE_STATUSES, type QueueStatus } from '@spandrel/contract';

/** Statuses of queue items as the table holds them. */
export const QUEUE_STATUS = { pending: 0, claimed: 1, completed: 2 } as const satisfies Record<QueueStatus, number>;

export const queueStatusName = (status: number): QueueStatus => QUEUE_STATUSES[status] ?? 'pending';
