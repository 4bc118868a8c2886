import { Table } from '@spandrel/storage';
import { QueueItemSchema, type QueueItemRow } from './queue-item.entity.js';

export const queueItemTable = new Table<QueueItemRow>(QueueItemSchema, ['projectId', 'id']);
