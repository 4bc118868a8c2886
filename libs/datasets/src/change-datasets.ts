import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type { CreateDataset, UpdateDataset } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { newId, type Scope } from '@spandrel/kernel';
import { ProjectProtection, Storage, type WriteTx } from '@spandrel/storage';
import { DatapointStore } from './datapoint.store.js';
import { DatasetParticipants } from './dataset-participants.js';
import { datasetResource, DatasetStore } from './dataset.store.js';
import { Dataset, type DatasetRow } from './dataset.entity.js';

/** Creates, changes and deletes datasets. */
@Injectable()
export class ChangeDatasets {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly participants: DatasetParticipants,
    private readonly events: DomainEvents,
    private readonly audit: AuditTrail,
    private readonly protection: ProjectProtection,
  ) {}

  /** Makes an empty dataset; emits `dataset_created`. */
  create(scope: Scope, body: CreateDataset): Promise<DatasetRow> {
    return this.storage.write((tx) => this.insert(tx, scope, body));
  }

  /** {@link create} in a transaction of the caller's. @param id made by the caller, so that doing it again does the same. */
  async insert(
    tx: WriteTx,
    scope: Scope,
    { name, description }: CreateDataset,
    id: string = newId(),
  ): Promise<DatasetRow> {
    const now = Date.now();
    const dataset: DatasetRow = {
      projectId: scope.projectId,
      id,
      name,
      description: description ?? null,
      datapointCount: 0,
      version: 0,
      pinnedVersion: 0,
      createdAt: now,
      updatedAt: now,
    };
    tx.em.create(Dataset, dataset);
    await this.events.emit(tx, scope, { type: 'dataset_created', dataset: datasetResource(dataset) });
    return dataset;
  }

  /** Changes the members given. @throws NotFound `dataset_not_found`. */
  async update(scope: Scope, id: string, { name, description }: UpdateDataset): Promise<DatasetRow> {
    const now = Date.now();
    return this.storage.write(async (tx) => {
      const dataset = await this.datasets.getForWrite(tx, scope, id);
      dataset.name = name ?? dataset.name;
      if (description !== undefined) dataset.description = description;
      dataset.updatedAt = now;
      return dataset;
    });
  }

  /**
   * Deletes a dataset with everything that anybody keeps about it, in one transaction. Emits `dataset_deleted`, which
   * stands for the contents.
   * @throws NotFound `dataset_not_found`, Conflict `project_protected`.
   */
  async delete(scope: Scope, datasetId: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const dataset = await this.datasets.getForWrite(tx, scope, datasetId);
      await this.protection.assertUnprotected(tx, scope);
      await this.participants.beforeDatasetDelete(tx, { scope, datasetId });
      await this.datapoints.deleteAll(tx, scope, datasetId);
      tx.em.remove(dataset);
      await this.events.emit(tx, scope, { type: 'dataset_deleted', dataset_id: datasetId });
      const { name: targetName, datapointCount } = dataset;
      const details = { datapoints_deleted: datapointCount };
      this.audit.record(tx, { action: 'dataset.deleted', ...scope, targetId: datasetId, targetName, details });
    });
  }
}
