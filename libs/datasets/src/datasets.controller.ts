import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import {
  createDatasetSchema,
  plainListSchema,
  readDatasetAnswerSchema,
  readDatasetSchema,
  updateDatasetSchema,
  type CreateDataset,
  type ReadDataset,
  type PlainList,
  type UpdateDataset,
  datasetSchema,
  datasetListSchema,
  deletedSchema,
} from '@spandrel/contract';
import { CurrentScope, Operation, listOf, deleted } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ChangeDatasets } from './change-datasets.js';
import { datasetResource, DatasetStore } from './dataset.store.js';
import { DatasetId } from './dataset-participants.js';
import { DatasetSnapshots } from './snapshots/dataset-snapshots.js';

/** `/api/datasets` (docs/spec/datasets.md#dataset-routes). */
@Controller('api/datasets')
export class DatasetsController {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly changes: ChangeDatasets,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  @Post()
  @Operation({ access: 'write', summary: 'Make a dataset', answer: datasetSchema })
  async createDataset(@CurrentScope() scope: Scope, @Body({ schema: createDatasetSchema }) body: CreateDataset) {
    return datasetResource(await this.changes.create(scope, body));
  }

  @Get()
  @Operation({ access: 'read', summary: 'Datasets, newest first', answer: datasetListSchema })
  async listDatasets(@CurrentScope() scope: Scope, @Query({ schema: plainListSchema }) query: PlainList) {
    return listOf('datasets', await this.datasets.list(scope, query), datasetResource);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A dataset', answer: readDatasetAnswerSchema })
  async getDataset(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Query({ schema: readDatasetSchema }) { include }: ReadDataset,
  ) {
    const dataset = await this.datasets.get(scope, id);
    if (include === undefined) return datasetResource(dataset);
    const { count } = await this.snapshots.countWithoutExpected(
      scope,
      { datasetId: id, version: dataset.version },
      undefined,
    );
    return { ...datasetResource(dataset), without_expected_count: count };
  }

  @Put(':id')
  @Operation({ access: 'write', summary: 'Change a dataset', answer: datasetSchema })
  async updateDataset(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Body({ schema: updateDatasetSchema }) body: UpdateDataset,
  ) {
    return datasetResource(await this.changes.update(scope, id, body));
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete a dataset with its datapoints, queue items, capture rules and eval runs',
    audited: ['dataset.deleted'],
    answer: deletedSchema,
    problems: ['project_protected'],
  })
  async deleteDataset(@CurrentScope() scope: Scope, @DatasetId() id: string) {
    await this.changes.delete(scope, id);
    return deleted(id);
  }
}
