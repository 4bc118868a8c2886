import { Injectable } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import { DatasetStore, datasetNotFound } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ChangeQueueItem } from './change-queue-item.js';
import { claimed, queueItemNotFound } from './queue-item-states.js';
import type { QueueItemRow } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';
import type { Reviewer } from './reviewer.js';

const NONE_LEFT = {
  plain: 'no item of this dataset is pending',
  excluding: 'no item of this dataset is pending but excluded ones',
};

/** What a caller of next says. */
export interface NextOptions {
  /** Who claims. */
  reviewer: Reviewer;
  /** Ids of items to leave out. */
  exclude: readonly string[];
}

/**
 * `POST /api/datasets/:id/queue/next`: many callers at once get one item each, none the same
 * (docs/spec/queue.md#two-claims-at-once).
 */
@Injectable()
export class ClaimNext {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly items: QueueItemStore,
    private readonly changes: ChangeQueueItem,
  ) {}

  /**
   * Claims the oldest pending item that is not excluded.
   * @throws NotFound `dataset_not_found`; `queue_item_not_found` when none is left.
   */
  async execute(scope: Scope, datasetId: string, options: NextOptions, now: number): Promise<QueueItemRow> {
    const { reviewer } = options;
    const exclude = options.exclude.filter(isStorableText);
    if (!(await this.datasets.find(scope, datasetId))) throw datasetNotFound();
    const claim = (others: 'pass over' | 'wait'): Promise<QueueItemRow | null> =>
      this.storage.write(async (tx) => {
        const item = await this.items.oldestPendingForWrite(tx, scope, datasetId, { exclude, others });
        return item && this.changes.executeIn(tx, scope, item, (pending) => claimed(pending, reviewer, now));
      });
    // Postgres keeps a lock on what it looked at and found claimed meanwhile: who waits starts over, with none.
    const item = (await claim('pass over')) ?? (await claim('wait'));
    if (!item) throw queueItemNotFound(NONE_LEFT[exclude.length > 0 ? 'excluding' : 'plain']);
    return item;
  }
}
