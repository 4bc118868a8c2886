import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import {
  createDatapointSchema,
  deleteDatapointsSchema,
  deletedDatapointsSchema,
  exportedSpansSchema,
  exportSpansSchema,
  exportSpanSchema,
  listDatapointsSchema,
  listedDatapointsSchema,
  updateDatapointSchema,
  type CreateDatapoint,
  type DeleteDatapoints,
  type ExportSpan,
  type ExportSpans,
  type ListDatapoints,
  type UpdateDatapoint,
  datapointSchema,
  deletedSchema,
} from '@spandrel/contract';
import { CurrentScope, KeepsNumberSources, Operation, WrittenJson, writtenPage, deleted, listOf } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ChooseDatapoints } from './snapshots/choose-datapoints.js';
import { datapointJson } from './datapoint-resource.js';
import { DatapointListStore } from './datapoint-list.store.js';
import { DatapointStore } from './datapoint.store.js';
import { DatasetStore } from './dataset.store.js';
import { EditDatapoints } from './edit-datapoints.js';
import { ExportSpansToDataset } from './export-spans.js';
import { datapointNotFound, DatasetId, DatapointId } from './dataset-participants.js';

/** `/api/datasets/:id/datapoints` and exports of spans (docs/spec/datapoints.md#datapoint-routes). */
@Controller('api/datasets/:id')
export class DatapointsController {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly lists: DatapointListStore,
    private readonly choose: ChooseDatapoints,
    private readonly edits: EditDatapoints,
    private readonly spans: ExportSpansToDataset,
  ) {}

  @Post('datapoints')
  @KeepsNumberSources()
  @Operation({ access: 'write', summary: 'Add a datapoint', answer: datapointSchema })
  async createDatapoint(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Body({ schema: createDatapointSchema }) { kind }: CreateDatapoint,
  ) {
    return new WrittenJson(datapointJson(await this.edits.create(scope, datasetId, kind)));
  }

  @Get('datapoints')
  @Operation({
    access: 'read',
    summary: 'Datapoints of a dataset, oldest first unless sorted otherwise',
    answer: listedDatapointsSchema,
  })
  async listDatapoints(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Query({ schema: listDatapointsSchema }) asked: ListDatapoints,
  ) {
    const { version } = await this.datasets.get(scope, datasetId);
    const query = { ...asked };
    if (asked.sample !== undefined) {
      const { metadata, source, ids, sample, seed } = asked;
      const filter = { metadata, source: source && [source], ids, sample, seed };
      query.ids = await this.choose.execute(scope, { datasetId, version }, filter);
    }
    if (query.preview > 0) {
      return listOf('datapoints', await this.lists.listPreviews(scope, datasetId, query));
    }
    const { items, nextCursor } = await this.lists.list(scope, datasetId, query);
    return writtenPage('datapoints', items.values().map(datapointJson), nextCursor);
  }

  @Get('datapoints/:dp_id')
  @Operation({ access: 'read', summary: 'A datapoint', answer: datapointSchema })
  async getDatapoint(@CurrentScope() scope: Scope, @DatasetId() datasetId: string, @DatapointId() id: string) {
    await this.datasets.get(scope, datasetId);
    const row = await this.datapoints.find(scope, datasetId, id);
    if (!row) throw datapointNotFound();
    return new WrittenJson(datapointJson(row));
  }

  @Put('datapoints/:dp_id')
  @KeepsNumberSources()
  @Operation({ access: 'write', summary: 'Change a datapoint', answer: datapointSchema })
  async updateDatapoint(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @DatapointId() id: string,
    @Body({ schema: updateDatapointSchema }) { kind }: UpdateDatapoint,
  ) {
    if (kind === undefined) return this.getDatapoint(scope, datasetId, id);
    return new WrittenJson(datapointJson(await this.edits.replace(scope, { datasetId, id, kind })));
  }

  @Delete('datapoints/:dp_id')
  @Operation({
    access: 'write',
    summary: 'Delete a datapoint and its queue items',
    audited: ['datapoint.deleted'],
    answer: deletedSchema,
  })
  async deleteDatapoint(@CurrentScope() scope: Scope, @DatasetId() datasetId: string, @DatapointId() id: string) {
    await this.edits.delete(scope, datasetId, id);
    return deleted(id);
  }

  @Post('datapoints/delete')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Delete datapoints and their queue items, as one change of the dataset',
    audited: ['datapoints.deleted'],
    answer: deletedDatapointsSchema,
  })
  deleteDatapoints(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Body({ schema: deleteDatapointsSchema }) { ids }: DeleteDatapoints,
  ) {
    return this.edits.deleteMany(scope, datasetId, ids);
  }

  @Post('export-span')
  @Operation({
    access: 'write',
    summary: 'Make a datapoint from a span',
    answer: datapointSchema,
    problems: ['span_not_found'],
  })
  async exportSpan(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Body({ schema: exportSpanSchema }) body: ExportSpan,
  ) {
    await this.datasets.get(scope, datasetId);
    return new WrittenJson(datapointJson(await this.edits.createFromSpan(scope, datasetId, body)));
  }

  @Post('export-spans')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Make datapoints from spans, as one change of the dataset',
    answer: exportedSpansSchema,
  })
  exportSpans(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Body({ schema: exportSpansSchema }) body: ExportSpans,
  ) {
    return this.spans.execute(scope, datasetId, body);
  }
}
