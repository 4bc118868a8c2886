import { writtenPage, type WrittenJson } from '@spandrel/http';
import type { Page } from '@spandrel/storage';
import { queueItemJson } from './queue-item-json.js';
import type { QueueItemRow } from './queue-item.entity.js';

/** A page as the wire shows it. */
export const queuePage = ({ items, nextCursor }: Page<QueueItemRow>): WrittenJson =>
  writtenPage('items', items.values().map(queueItemJson), nextCursor);
