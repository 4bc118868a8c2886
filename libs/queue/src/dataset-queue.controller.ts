import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  claimNextSchema,
  enqueueSchema,
  listQueueSchema,
  type ClaimNext,
  type Enqueue,
  type ListQueue,
  enqueuedSchema,
  queueItemSchema,
  queueItemListSchema,
} from '@spandrel/contract';
import { datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { CurrentReader, CurrentScope, PathId, type Reader, Operation, writtenPage, WrittenJson } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { EnqueueDatapoints } from './enqueue-datapoints.js';
import { queueItemJson, queuePage } from './queue-item-json.js';
import { QueueListStore } from './queue-list.store.js';
import { ReviewQueue } from './review-queue.js';
import { CallingReviewer, reviewerOf, type Reviewer } from './reviewer.js';

/** `/api/datasets/:id/queue` (docs/spec/queue.md#queue-routes). */
@Controller('api/datasets/:id/queue')
export class DatasetQueueController {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly lists: QueueListStore,
    private readonly enqueueDatapoints: EnqueueDatapoints,
    private readonly queue: ReviewQueue,
  ) {}

  @Post()
  @Operation({
    id: 'enqueueDatapoints',
    access: 'write',
    summary: 'Put datapoints into the review queue',
    answer: enqueuedSchema,
    problems: ['dataset_not_found', 'datapoint_not_found'],
  })
  async enqueue(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Body({ schema: enqueueSchema }) body: Enqueue,
  ): Promise<WrittenJson> {
    const items = await this.enqueueDatapoints.execute(scope, id, body.datapoint_ids);
    return writtenPage('items', items.values().map(queueItemJson));
  }

  @Get()
  @Operation({
    id: 'listDatasetQueue',
    access: 'read',
    summary: 'Queue items of a dataset, oldest first',
    answer: queueItemListSchema,
    problems: ['dataset_not_found'],
  })
  async list(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Query({ schema: listQueueSchema }) query: ListQueue,
    @CurrentReader() reader: Reader,
  ): Promise<WrittenJson> {
    if (!(await this.datasets.find(scope, id))) throw datasetNotFound();
    return queuePage(await this.lists.list(scope, id, query, reader));
  }

  /** Claims the oldest pending item. */
  @Post('next')
  @HttpCode(200)
  @Operation({
    id: 'claimNextQueueItem',
    access: 'review',
    summary: 'Claim the oldest pending item',
    answer: queueItemSchema,
    problems: ['dataset_not_found', 'queue_item_not_found'],
  })
  async next(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Body({ schema: claimNextSchema }) body: ClaimNext,
  ): Promise<WrittenJson> {
    const { claimed_by: reviewer, exclude: excluded = [] } = body;
    const next = { reviewer: reviewerOf(reviewer, caller), excluded };
    return new WrittenJson(queueItemJson(await this.queue.claimNext(scope, id, next, Date.now())));
  }
}
