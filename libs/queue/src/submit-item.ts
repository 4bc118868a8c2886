import { Injectable } from '@nestjs/common';
import { datapointKindSchema } from '@spandrel/contract';
import { ChangeDatapoints, DatasetStore } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { maskReviewed, ProjectMasking } from '@spandrel/masking';
import { Storage, toJsonText, writtenAhead } from '@spandrel/storage';
import { ChangeQueueItem } from './change-queue-item.js';
import { submitted } from './queue-item-states.js';
import type { QueueItemRow } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';

/** What a reviewer hands in. */
export interface Submission {
  /** Nothing or `null`: approved as it is. */
  editedData: unknown;
  /** Whether to write it back to the datapoint. */
  apply: boolean;
}

/** `POST /api/queue/:item_id/submit`. */
@Injectable()
export class SubmitItem {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: ChangeDatapoints,
    private readonly items: QueueItemStore,
    private readonly changes: ChangeQueueItem,
    private readonly masking: ProjectMasking,
  ) {}

  /**
   * Completes a claimed item. Edited data that is to be applied replaces the datapoint in the same transaction when it
   * is a valid kind, and is only kept when it is not (docs/spec/queue.md#applying-edited-data).
   * @throws NotFound `queue_item_not_found`, Conflict as the states of an item have it.
   */
  async execute(
    scope: Scope,
    id: string,
    { editedData: given, apply }: Submission,
    now: number,
  ): Promise<QueueItemRow> {
    const masking = await this.masking.of(scope);
    const editedData = await writtenAhead(masking ? await masking.run((calls) => maskReviewed(calls, given)) : given);
    const text = toJsonText(editedData);
    const kind = apply ? datapointKindSchema.safeParse(editedData).data : undefined;
    if (!kind) return this.changes.execute(scope, id, (item) => submitted(item, text));
    return this.storage.write(async (tx) => {
      const datasetId = await this.items.datasetOf(tx, scope, id);
      // The dataset before the item, as a delete locks them.
      if (datasetId !== undefined) await this.datasets.findForWrite(tx, scope, datasetId);
      const item = await this.items.findForWrite(tx, scope, id);
      const changed = await this.changes.executeIn(tx, scope, item, (current) => submitted(current, text));
      const { datasetId: of, datapointId } = changed;
      await this.datapoints.replace(tx, scope, { datasetId: of, id: datapointId, kind }, now);
      return changed;
    });
  }
}
