import { tableOf } from '@spandrel/storage';
import { QueueItemSchema } from './queue-item.entity.js';

export const queueItemTable = tableOf(QueueItemSchema, ['projectId', 'id']);
