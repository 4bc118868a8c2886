import { Conflict, NotFound } from '@spandrel/kernel';
import { type QueueItemRow, QUEUE_STATUS } from './queue-item.entity.js';
import { fromJsonText } from '@spandrel/storage';
import type { Reviewer } from './reviewer.js';

/**
 * The states of a queue item (docs/spec/queue.md#states-of-a-queue-item): every function takes the item as it is and
 * returns it as it becomes, the same object when nothing changes.
 */

/** @throws Conflict `queue_item_already_claimed` by somebody else, `queue_item_completed`. */
export function claimed(item: QueueItemRow, reviewer: Reviewer, now: number): QueueItemRow {
  if (item.status === QUEUE_STATUS.completed) throw completed();
  if (item.status === QUEUE_STATUS.pending) {
    return {
      ...item,
      status: QUEUE_STATUS.claimed,
      claimedBy: reviewer.id,
      claimedByName: reviewer.name,
      claimedAt: now,
    };
  }
  if (item.claimedBy === reviewer.id) return item;
  throw new Conflict('queue_item_already_claimed', 'another reviewer has claimed this queue item');
}

/** @throws Conflict `queue_item_not_claimed`, `queue_item_completed`. */
export function released(item: QueueItemRow): QueueItemRow {
  assertClaimed(item);
  return { ...item, status: QUEUE_STATUS.pending, claimedBy: null, claimedByName: null, claimedAt: null };
}

/** What a reviewer says of an item. `editedData`: JSON; `null` approves the datapoint as it is. */
export type Review = Pick<QueueItemRow, 'editedData' | 'scores' | 'answers' | 'comment' | 'skipped'>;

/** Who claimed it stays to be seen. @throws Conflict `queue_item_not_claimed`, `queue_item_completed`. */
export function submitted(item: QueueItemRow, review: Review, now: number): QueueItemRow {
  assertClaimed(item);
  return { ...item, status: QUEUE_STATUS.completed, ...review, completedAt: now };
}

/** @throws Conflict `queue_item_not_assigned`. */
export function assertAssigned({ assignees }: QueueItemRow, reviewer: Reviewer): void {
  if (assignees === '[]' || (fromJsonText(assignees) as string[]).includes(reviewer.id)) return;
  throw new Conflict('queue_item_not_assigned', 'this queue item is assigned to others');
}

export const alreadyReviewed = (): Conflict =>
  new Conflict(
    'queue_item_already_reviewed',
    'this reviewer has another item of the same datapoint; somebody else reviews this one',
  );

function assertClaimed(item: QueueItemRow): void {
  if (item.status === QUEUE_STATUS.completed) throw completed();
  if (item.status === QUEUE_STATUS.pending) {
    throw new Conflict('queue_item_not_claimed', 'nobody has claimed this queue item; claim it first');
  }
}

const completed = (): Conflict =>
  new Conflict('queue_item_completed', 'this queue item is completed and cannot change any more');

export const queueItemNotFound = (
  detail = 'there is no queue item with this id; GET /api/queue lists them',
): NotFound => new NotFound('queue_item_not_found', detail);
