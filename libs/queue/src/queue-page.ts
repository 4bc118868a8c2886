import type { QueueItemResource } from '@spandrel/contract';
import type { Page } from '@spandrel/storage';
import { queueItemResource } from './queue-item-resource.js';
import type { QueueItemRow } from './queue-item.entity.js';

/** The answer of the queue's lists. */
export interface QueuePage {
  items: QueueItemResource[];
  count: number;
  next_cursor: string | null;
}

/** A page as the wire shows it. */
export const queuePage = ({ items, nextCursor }: Page<QueueItemRow>): QueuePage => ({
  items: items.map(queueItemResource),
  count: items.length,
  next_cursor: nextCursor,
});
