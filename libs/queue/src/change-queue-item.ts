import { Injectable } from '@nestjs/common';
import { DomainEvents } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { queueItemUpdated } from './queue-item-json.js';
import { queueItemNotFound } from './queue-item-states.js';
import type { QueueItemRow } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';

/** Moves items from state to state, each time with `queue_item_updated` in the same transaction. */
@Injectable()
export class ChangeQueueItem {
  constructor(
    private readonly storage: Storage,
    private readonly items: QueueItemStore,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Changes an item in a transaction of its own. Each of several at once sees what the one before it left.
   * @param next one of `queue-item-states.ts`.
   * @throws NotFound `queue_item_not_found`, and what `next` throws.
   */
  execute(scope: Scope, id: string, next: (item: QueueItemRow) => QueueItemRow): Promise<QueueItemRow> {
    return this.storage.write(async (tx) =>
      this.executeIn(tx, scope, await this.items.findForWrite(tx, scope, id), next),
    );
  }

  /** Changes a locked item in the caller's transaction. @throws as {@link execute}. */
  async executeIn(
    tx: WriteTx,
    scope: Scope,
    item: QueueItemRow | null,
    next: (item: QueueItemRow) => QueueItemRow,
  ): Promise<QueueItemRow> {
    if (!item) throw queueItemNotFound();
    const changed = next(item);
    if (changed === item) return changed;
    Object.assign(item, changed);
    await this.events.emitWire(tx, scope, [queueItemUpdated(changed)]);
    return changed;
  }
}
