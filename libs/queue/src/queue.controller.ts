import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  agreementQuerySchema,
  agreementSchema,
  holds,
  claimNextSchema,
  claimSchema,
  enqueuedSchema,
  enqueueSchema,
  enqueueTargetsSchema,
  listQueueSchema,
  readQueueItemSchema,
  submitQuerySchema,
  submitSchema,
  queueProgressSchema,
  submittedItemSchema,
  type AgreementQuery,
  type Claim,
  type ClaimNext,
  type Enqueue,
  type EnqueueTargets,
  type ListQueue,
  type ReadQueueItem,
  type Submit,
  type SubmitQuery,
  queueItemSchema,
  queueItemListSchema,
  queueCountsSchema,
} from '@spandrel/contract';
import { DatasetId, DatasetStore } from '@spandrel/datasets';
import {
  CurrentCaller,
  CurrentScope,
  KeepsNumberSources,
  Operation,
  PathId,
  type Caller,
  WrittenJson,
  writtenPage,
} from '@spandrel/http';
import { DomainError, type Scope } from '@spandrel/kernel';
import { queueItemNotFound } from './queue-item-states.js';
import { isBlind, queueItemJson } from './queue-item-json.js';
import { QueueItemStore } from './queue-item.store.js';
import { QueueListStore } from './queue-list.store.js';
import { ReviewStore } from './review.store.js';
import { ReviewQueue } from './review-queue.js';
import { CallingReviewer, readerOf, reviewerOf, type CallerAsReviewer, type Reviewer } from './reviewer.js';
import { CountQueues } from './count-queues.js';
import { OF_TARGETS, type QueueItemRow } from './queue-item.entity.js';
import { EnqueueItems } from './enqueue-items.js';

/** The queue item that a path names. */
const QueueItemId = () => Param('item_id', new PathId(queueItemNotFound));

/** Routes of the queue (docs/spec/queue.md#queue-routes). */
@Controller('api')
export class QueueController {
  constructor(
    private readonly items: QueueItemStore,
    private readonly lists: QueueListStore,
    private readonly queue: ReviewQueue,
    private readonly enqueues: EnqueueItems,
    private readonly reviews: ReviewStore,
    private readonly datasets: DatasetStore,
    private readonly countQueues: CountQueues,
  ) {}

  @Post('queue')
  @Operation({
    access: 'write',
    summary: 'Put traces, spans or sessions into the review queue',
    answer: enqueuedSchema,
    problems: ['trace_not_found', 'span_not_found', 'session_not_found'],
  })
  async enqueueTargets(@CurrentScope() scope: Scope, @Body({ schema: enqueueTargetsSchema }) body: EnqueueTargets) {
    return enqueued(await this.enqueues.enqueueTargets(scope, body));
  }

  @Post('queue/next')
  @HttpCode(200)
  @Operation({
    access: 'review',
    summary: 'Claim the pending item of a trace, a span or a session that is next',
    answer: queueItemSchema,
    problems: ['queue_item_not_found'],
  })
  async claimNextTarget(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @Body({ schema: claimNextSchema }) { claimed_by: reviewer, exclude: excluded = [] }: ClaimNext,
  ) {
    const next = { reviewer: reviewerOf(reviewer, caller), excluded };
    return new WrittenJson(queueItemJson(await this.queue.claimNext(scope, OF_TARGETS, next, Date.now())));
  }

  @Get('queue/progress')
  @Operation({
    access: 'read',
    summary: 'How far the review of traces, spans and sessions is, by reviewer',
    answer: queueProgressSchema,
  })
  getTargetProgress(@CurrentScope() scope: Scope) {
    return this.reviews.progress(scope, OF_TARGETS);
  }

  @Get('queue/agreement')
  @Operation({
    access: 'read',
    summary: 'How far the reviewers of traces, spans and sessions agree',
    answer: agreementSchema,
  })
  async getTargetAgreement(
    @CurrentScope() scope: Scope,
    @Query({ schema: agreementQuerySchema }) query: AgreementQuery,
  ) {
    return { scores: await this.reviews.agreement(scope, OF_TARGETS, query) };
  }

  @Get('queue')
  @Operation({
    access: 'read',
    summary: 'Queue items of all datasets, and of traces, spans and sessions, oldest first',
    answer: queueItemListSchema,
  })
  async listQueue(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: CallerAsReviewer,
    @Query({ schema: listQueueSchema }) query: ListQueue,
  ) {
    return this.show(scope, undefined, query, caller);
  }

  @Get('queue/:item_id')
  @Operation({ access: 'read', summary: 'A queue item', answer: queueItemSchema })
  async getQueueItem(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: CallerAsReviewer,
    @QueueItemId() id: string,
    @Query({ schema: readQueueItemSchema }) { reviewer }: ReadQueueItem,
  ) {
    const item = await this.items.get(scope, id);
    const hidden = await this.lists.findHidden(scope, [item], readerOf(reviewer, caller).id);
    return new WrittenJson(queueItemJson(item, hidden.has(item)));
  }

  @Post('queue/:item_id/claim')
  @HttpCode(200)
  @Operation({
    access: 'review',
    summary: 'Claim an item for review',
    answer: queueItemSchema,
    problems: [
      'queue_item_already_claimed',
      'queue_item_already_reviewed',
      'queue_item_not_assigned',
      'queue_item_completed',
    ],
  })
  async claimQueueItem(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @QueueItemId() id: string,
    @Body({ schema: claimSchema }) body: Claim,
  ) {
    const reviewer = reviewerOf(body.claimed_by, caller);
    return new WrittenJson(queueItemJson(await this.queue.claim(scope, id, reviewer, Date.now())));
  }

  @Post('queue/:item_id/release')
  @HttpCode(200)
  @Operation({
    access: 'review',
    summary: 'Give a claimed item back',
    answer: queueItemSchema,
    problems: ['queue_item_not_claimed', 'queue_item_completed'],
  })
  async releaseQueueItem(@CurrentScope() scope: Scope, @QueueItemId() id: string) {
    return new WrittenJson(queueItemJson(await this.queue.release(scope, id)));
  }

  @Post('queue/:item_id/submit')
  @KeepsNumberSources()
  @HttpCode(200)
  @Operation({
    access: 'review',
    summary: 'Complete a claimed item',
    answer: submittedItemSchema,
    description: '`apply` changes the datapoint, so that it needs the scope `write`.',
    problems: ['queue_item_not_claimed', 'queue_item_completed'],
  })
  async submitQueueItem(
    @CurrentScope() scope: Scope,
    @CurrentCaller() caller: Caller | undefined,
    @QueueItemId() id: string,
    @Query({ schema: submitQuerySchema }) { apply }: SubmitQuery,
    @Body({ schema: submitSchema }) body: Submit,
  ) {
    if (apply && caller && !holds(caller.permissions, 'write')) throw writeNeeded();
    const { item, applied } = await this.queue.submit(scope, id, body, apply, Date.now());
    const json = queueItemJson(item);
    return new WrittenJson(apply && !applied ? `${json.slice(0, -1)},"applied":false}` : json);
  }

  @Get('count/queue')
  @Operation({ access: 'read', summary: 'How many items each queue has, by status', answer: queueCountsSchema })
  countQueue(@CurrentScope() scope: Scope) {
    return this.countQueues.execute(scope);
  }

  @Get('datasets/:id/queue/progress')
  @Operation({
    access: 'read',
    summary: 'How far the review of a dataset is, by reviewer',
    answer: queueProgressSchema,
  })
  async getQueueProgress(@CurrentScope() scope: Scope, @DatasetId() id: string) {
    await this.datasets.get(scope, id);
    return this.reviews.progress(scope, id);
  }

  @Get('datasets/:id/agreement')
  @Operation({ access: 'read', summary: 'How far the reviewers of a dataset agree', answer: agreementSchema })
  async getAgreement(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Query({ schema: agreementQuerySchema }) query: AgreementQuery,
  ) {
    await this.datasets.get(scope, id);
    return { scores: await this.reviews.agreement(scope, id, query) };
  }

  @Post('datasets/:id/queue')
  @Operation({
    access: 'write',
    summary: 'Put datapoints into the review queue',
    answer: enqueuedSchema,
    problems: ['datapoint_not_found'],
  })
  async enqueueDatapoints(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Body({ schema: enqueueSchema }) body: Enqueue,
  ) {
    return enqueued(await this.enqueues.enqueueDatapoints(scope, id, body));
  }

  @Get('datasets/:id/queue')
  @Operation({ access: 'read', summary: 'Queue items of a dataset, oldest first', answer: queueItemListSchema })
  async listDatasetQueue(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @CallingReviewer() caller: CallerAsReviewer,
    @Query({ schema: listQueueSchema }) query: ListQueue,
  ) {
    await this.datasets.get(scope, id);
    return this.show(scope, id, query, caller);
  }

  /** Claims the oldest pending item. */
  @Post('datasets/:id/queue/next')
  @HttpCode(200)
  @Operation({
    access: 'review',
    summary: 'Claim the oldest pending item',
    answer: queueItemSchema,
    problems: ['queue_item_not_found'],
  })
  async claimNextQueueItem(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @DatasetId() id: string,
    @Body({ schema: claimNextSchema }) body: ClaimNext,
  ) {
    const { claimed_by: reviewer, exclude: excluded = [] } = body;
    const next = { reviewer: reviewerOf(reviewer, caller), excluded };
    return new WrittenJson(queueItemJson(await this.queue.claimNext(scope, id, next, Date.now())));
  }

  private async show(
    scope: Scope,
    datasetId: string | undefined,
    query: ListQueue,
    caller: CallerAsReviewer,
  ): Promise<WrittenJson> {
    const { items, nextCursor } = await this.lists.list(scope, datasetId, query);
    const hidden = await this.lists.findHidden(scope, items, readerOf(query.reviewer, caller).id);
    const shown = items.values().map((item) => queueItemJson(item, hidden.has(item)));
    return writtenPage('items', shown, nextCursor);
  }
}

function enqueued({ items, existing }: { items: readonly QueueItemRow[]; existing: number }): WrittenJson {
  const shown = items.values().map((item) => queueItemJson(item, isBlind(item)));
  return writtenPage('items', shown, undefined, existing > 0 ? { existing } : {});
}

const writeNeeded = (): DomainError =>
  new DomainError(
    'insufficient_scope',
    '?apply=true changes the datapoint: this needs a credential with the scope write',
  );
