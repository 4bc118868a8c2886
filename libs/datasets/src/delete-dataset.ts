import { Injectable } from '@nestjs/common';
import { DomainEvents } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { DatapointStore } from './datapoint.store.js';
import { DatasetParticipants } from './dataset-participants.js';
import { DatasetStore } from './dataset.store.js';
import { datasetNotFound } from './not-found.js';

/** Deletes a dataset with everything that anybody keeps about it, in one transaction. */
@Injectable()
export class DeleteDataset {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly participants: DatasetParticipants,
    private readonly events: DomainEvents,
  ) {}

  /** Emits `dataset_deleted`, which stands for the contents. @throws NotFound `dataset_not_found`. */
  async run(scope: Scope, datasetId: string): Promise<void> {
    await this.storage.write(async (tx) => {
      if (!(await this.datasets.findForWrite(tx, scope, datasetId))) throw datasetNotFound();
      await this.participants.beforeDatasetDelete(tx, { scope, datasetId });
      await this.datapoints.deleteAll(tx, scope, datasetId);
      await this.datasets.delete(tx, scope, datasetId);
      await this.events.emit(tx, scope, { type: 'dataset_deleted', dataset_id: datasetId });
    });
  }
}
