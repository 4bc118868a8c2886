import { Injectable } from '@nestjs/common';
import { datapointKindSchema, isStorableText } from '@spandrel/contract';
import { ChangeDatapoints, datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import { projectScope, type Scope } from '@spandrel/kernel';
import { maskReviewed, ProjectMasking } from '@spandrel/masking';
import { Storage, toJsonText, writtenAhead, type WriteTx } from '@spandrel/storage';
import { queueItemUpdated } from './queue-item-json.js';
import { claimed, queueItemNotFound, released, submitted } from './queue-item-states.js';
import type { QueueItemRow } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';
import type { Reviewer } from './reviewer.js';

const NONE_LEFT = {
  plain: 'no item of this dataset is pending',
  excluding: 'no item of this dataset is pending but excluded ones',
};

const ITEMS_PER_ROUND = 100;

type Next = (item: QueueItemRow) => QueueItemRow;

/** Claims, releases and completes items of the review queue, each change with its event in the same transaction. */
@Injectable()
export class ReviewQueue {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: ChangeDatapoints,
    private readonly items: QueueItemStore,
    private readonly events: DomainEvents,
    private readonly masking: ProjectMasking,
  ) {}

  /** @throws NotFound `queue_item_not_found`, Conflict as the states of an item have it. */
  claim(scope: Scope, id: string, reviewer: Reviewer, now: number): Promise<QueueItemRow> {
    return this.change(scope, id, (item) => claimed(item, reviewer, now));
  }

  /** Gives a claimed item back. @throws NotFound `queue_item_not_found`, Conflict as the states of an item have it. */
  release(scope: Scope, id: string): Promise<QueueItemRow> {
    return this.change(scope, id, released);
  }

  /**
   * Claims the oldest pending item that is not excluded: many callers at once get one item each, none the same
   * (docs/spec/queue.md#two-claims-at-once).
   * @param excluded ids of items to leave out.
   * @throws NotFound `dataset_not_found`; `queue_item_not_found` when none is left.
   */
  async claimNext(
    scope: Scope,
    datasetId: string,
    { reviewer, excluded }: { reviewer: Reviewer; excluded: readonly string[] },
    now: number,
  ): Promise<QueueItemRow> {
    const exclude = excluded.filter(isStorableText);
    if (!(await this.datasets.find(scope, datasetId))) throw datasetNotFound();
    const claim = (others: 'pass over' | 'wait'): Promise<QueueItemRow | null> =>
      this.storage.write(async (tx) => {
        const item = await this.items.oldestPendingForWrite(tx, scope, datasetId, { exclude, others });
        return item && this.changeIn(tx, scope, item, (pending) => claimed(pending, reviewer, now));
      });
    // Postgres keeps a lock on what it looked at and found claimed meanwhile: who waits starts over, with none.
    const item = (await claim('pass over')) ?? (await claim('wait'));
    if (!item) throw queueItemNotFound(NONE_LEFT[exclude.length > 0 ? 'excluding' : 'plain']);
    return item;
  }

  /**
   * Completes a claimed item. Edited data that is to be applied replaces the datapoint in the same transaction when it
   * is a valid kind, and is only kept when it is not (docs/spec/queue.md#applying-edited-data).
   * @param edited nothing or `null`: approved as it is.
   * @param apply whether to write it back to the datapoint.
   * @returns the item, and whether the datapoint was replaced.
   * @throws NotFound `queue_item_not_found`, Conflict as the states of an item have it.
   */
  async submit(
    scope: Scope,
    id: string,
    edited: unknown,
    apply: boolean,
    now: number,
  ): Promise<{ item: QueueItemRow; applied: boolean }> {
    const masking = await this.masking.of(scope);
    const editedData = await writtenAhead(masking ? await masking.run((calls) => maskReviewed(calls, edited)) : edited);
    const text = toJsonText(editedData);
    const kind = apply ? datapointKindSchema.safeParse(editedData).data : undefined;
    if (!kind) return { item: await this.change(scope, id, (item) => submitted(item, text)), applied: false };
    return this.storage.write(async (tx) => {
      const datasetId = await this.items.datasetOf(tx, scope, id);
      // The dataset before the item, as a delete locks them.
      if (datasetId !== undefined) await this.datasets.findForWrite(tx, scope, datasetId);
      const item = await this.items.findForWrite(tx, scope, id);
      const changed = await this.changeIn(tx, scope, item, (current) => submitted(current, text));
      await this.datapoints.replace(tx, scope, { datasetId: changed.datasetId, id: changed.datapointId, kind }, now);
      return { item: changed, applied: true };
    });
  }

  /**
   * Releases what was claimed up to a time (docs/spec/queue.md#stale-claims), in rounds. Several instances may do so at
   * once: each item is released, and announced, once.
   */
  async releaseStale(claimedThrough: number, stopped: AbortSignal): Promise<void> {
    for (;;) {
      const stale = await this.items.findStale(claimedThrough, ITEMS_PER_ROUND);
      let count = 0;
      for (const [projectId, items] of Map.groupBy(stale, (item) => item.projectId)) {
        if (stopped.aborted) return;
        const ids = items.map(({ id }) => id);
        count += await this.releaseSome(projectScope(projectId), ids, claimedThrough);
      }
      if (count === 0) return;
    }
  }

  private releaseSome(scope: Scope, ids: readonly string[], claimedThrough: number): Promise<number> {
    return this.storage.write(async (tx) => {
      const items = await this.items.findStaleForWrite(tx, scope, ids, claimedThrough);
      for (const item of items) await this.changeIn(tx, scope, item, released);
      return items.length;
    });
  }

  /** Changes an item in a transaction of its own. Each of several at once sees what the one before it left. */
  private change(scope: Scope, id: string, next: Next): Promise<QueueItemRow> {
    return this.storage.write(async (tx) =>
      this.changeIn(tx, scope, await this.items.findForWrite(tx, scope, id), next),
    );
  }

  private async changeIn(tx: WriteTx, scope: Scope, item: QueueItemRow | null, next: Next): Promise<QueueItemRow> {
    if (!item) throw queueItemNotFound();
    const changed = next(item);
    if (changed === item) return changed;
    Object.assign(item, changed);
    await this.events.emitWire(tx, scope, [queueItemUpdated(changed)]);
    return changed;
  }
}
