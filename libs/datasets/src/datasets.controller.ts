import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  createDatasetSchema,
  plainListSchema,
  updateDatasetSchema,
  type CreateDataset,
  type DatasetResource,
  type PlainList,
  type UpdateDataset,
  datasetSchema,
  datasetListSchema,
  deletedSchema,
} from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { CurrentScope, newId, PathId, type Scope, Operation } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { datasetResource } from './dataset-resource.js';
import type { DatasetRow } from './dataset.entity.js';
import { DatasetStore } from './dataset.store.js';
import { DeleteDataset } from './delete-dataset.js';
import { datasetNotFound } from './not-found.js';

/** `/api/datasets` (service-spec "Datasets"). */
@Controller('api/datasets')
export class DatasetsController {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly deletions: DeleteDataset,
    private readonly events: DomainEvents,
  ) {}

  @Post()
  @Operation({ id: 'createDataset', access: 'write', summary: 'Make a dataset', answer: datasetSchema })
  async create(
    @CurrentScope() scope: Scope,
    @Body({ schema: createDatasetSchema }) { name, description }: CreateDataset,
  ): Promise<DatasetResource> {
    const now = Date.now();
    const dataset: DatasetRow = {
      projectId: scope.projectId,
      id: newId(),
      name,
      description: description ?? null,
      datapointCount: 0,
      version: 0,
      pinnedVersion: 0,
      createdAt: now,
      updatedAt: now,
    };
    await this.storage.write(async (tx) => {
      await this.datasets.insert(tx, dataset);
      await this.events.emit(tx, scope, { type: 'dataset_created', dataset: datasetResource(dataset) });
    });
    return datasetResource(dataset);
  }

  @Get()
  @Operation({ id: 'listDatasets', access: 'read', summary: 'Datasets, newest first', answer: datasetListSchema })
  async list(
    @CurrentScope() scope: Scope,
    @Query({ schema: plainListSchema }) query: PlainList,
  ): Promise<{ datasets: DatasetResource[]; count: number; next_cursor: string | null }> {
    const { items, nextCursor } = await this.datasets.list(scope, query);
    return { datasets: items.map(datasetResource), count: items.length, next_cursor: nextCursor };
  }

  @Get(':id')
  @Operation({
    id: 'getDataset',
    access: 'read',
    summary: 'A dataset',
    answer: datasetSchema,
    problems: ['dataset_not_found'],
  })
  async read(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
  ): Promise<DatasetResource> {
    const dataset = await this.datasets.find(scope, id);
    if (!dataset) throw datasetNotFound();
    return datasetResource(dataset);
  }

  @Put(':id')
  @Operation({
    id: 'updateDataset',
    access: 'write',
    summary: 'Change a dataset',
    answer: datasetSchema,
    problems: ['dataset_not_found'],
  })
  async update(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Body({ schema: updateDatasetSchema }) { name, description }: UpdateDataset,
  ): Promise<DatasetResource> {
    const now = Date.now();
    const updated = await this.storage.write(async (tx) => {
      const dataset = await this.datasets.findForWrite(tx, scope, id);
      if (!dataset) throw datasetNotFound();
      const after: DatasetRow = {
        ...dataset,
        name: name ?? dataset.name,
        description: description === undefined ? dataset.description : description,
        updatedAt: now,
      };
      await this.datasets.update(tx, after);
      return after;
    });
    return datasetResource(updated);
  }

  @Delete(':id')
  @HttpCode(200)
  @Operation({
    id: 'deleteDataset',
    access: 'write',
    summary: 'Delete a dataset with its datapoints, queue items, capture rules and eval runs',
    answer: deletedSchema,
    problems: ['dataset_not_found'],
  })
  async delete(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
  ): Promise<{ id: string; deleted: true }> {
    await this.deletions.run(scope, id);
    return { id, deleted: true };
  }
}
