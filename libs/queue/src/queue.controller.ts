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
  submitQuerySchema,
  submitSchema,
  queueProgressSchema,
  submittedItemSchema,
  type AgreementOfScores,
  type AgreementQuery,
  type Claim,
  type ClaimNext,
  type Enqueue,
  type EnqueueTargets,
  type ListQueue,
  type Submit,
  type SubmitQuery,
  queueItemSchema,
  queueItemListSchema,
  queueCountsSchema,
  type QueueCounts,
  type QueueProgress,
} from '@spandrel/contract';
import { datasetNotFound, DatasetStore } from '@spandrel/datasets';
import {
  CurrentCaller,
  CurrentReader,
  CurrentScope,
  KeepsNumberSources,
  Operation,
  PathId,
  type Caller,
  type Reader,
  WrittenJson,
  writtenPage,
} from '@spandrel/http';
import { DomainError, type Scope } from '@spandrel/kernel';
import { queueItemNotFound } from './queue-item-states.js';
import { isBlind, queueItemJson } from './queue-item-json.js';
import { ShowQueueItems } from './show-queue-items.js';
import { QueueItemStore } from './queue-item.store.js';
import { QueueListStore } from './queue-list.store.js';
import { ReviewStore } from './review.store.js';
import { ReviewQueue } from './review-queue.js';
import { CallingReviewer, reviewerOf, type Reviewer } from './reviewer.js';
import { CountQueues } from './count-queues.js';
import { OF_TARGETS, type QueueItemRow } from './queue-item.entity.js';
import { EnqueueItems } from './enqueue-items.js';

/** `/api/queue` (docs/spec/queue.md#queue-routes). */
@Controller('api/queue')
export class QueueController {
  constructor(
    private readonly items: QueueItemStore,
    private readonly lists: QueueListStore,
    private readonly queue: ReviewQueue,
    private readonly pages: ShowQueueItems,
    private readonly enqueues: EnqueueItems,
    private readonly reviews: ReviewStore,
  ) {}

  @Post()
  @Operation({
    id: 'enqueueTargets',
    access: 'write',
    summary: 'Put traces, spans or sessions into the review queue',
    answer: enqueuedSchema,
    problems: ['trace_not_found', 'span_not_found', 'session_not_found'],
  })
  async enqueue(
    @CurrentScope() scope: Scope,
    @Body({ schema: enqueueTargetsSchema }) body: EnqueueTargets,
  ): Promise<WrittenJson> {
    return enqueued(await this.enqueues.enqueueTargets(scope, body));
  }

  @Post('next')
  @HttpCode(200)
  @Operation({
    id: 'claimNextTarget',
    access: 'review',
    summary: 'Claim the pending item of a trace, a span or a session that is next',
    answer: queueItemSchema,
    problems: ['queue_item_not_found'],
  })
  async next(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @Body({ schema: claimNextSchema }) { claimed_by: reviewer, exclude: excluded = [] }: ClaimNext,
  ): Promise<WrittenJson> {
    const next = { reviewer: reviewerOf(reviewer, caller), excluded };
    return new WrittenJson(queueItemJson(await this.queue.claimNext(scope, OF_TARGETS, next, Date.now())));
  }

  @Get('progress')
  @Operation({
    id: 'getTargetProgress',
    access: 'read',
    summary: 'How far the review of traces, spans and sessions is, by reviewer',
    answer: queueProgressSchema,
  })
  progress(@CurrentScope() scope: Scope, @CurrentReader() reader: Reader): Promise<QueueProgress> {
    return this.reviews.progress(scope, OF_TARGETS, reader);
  }

  @Get('agreement')
  @Operation({
    id: 'getTargetAgreement',
    access: 'read',
    summary: 'How far the reviewers of traces, spans and sessions agree',
    answer: agreementSchema,
  })
  async agreement(
    @CurrentScope() scope: Scope,
    @Query({ schema: agreementQuerySchema }) query: AgreementQuery,
    @CurrentReader() reader: Reader,
  ): Promise<{ scores: AgreementOfScores[] }> {
    return { scores: await this.reviews.agreement(scope, OF_TARGETS, query, reader) };
  }

  @Get()
  @Operation({
    id: 'listQueue',
    access: 'read',
    summary: 'Queue items of all datasets, and of traces, spans and sessions, oldest first',
    answer: queueItemListSchema,
  })
  async list(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @Query({ schema: listQueueSchema }) query: ListQueue,
    @CurrentReader() reader: Reader,
  ): Promise<WrittenJson> {
    return this.pages.show(scope, await this.lists.list(scope, undefined, query, reader), caller.id, reader);
  }

  @Get(':item_id')
  @Operation({
    id: 'getQueueItem',
    access: 'read',
    summary: 'A queue item',
    answer: queueItemSchema,
    problems: ['queue_item_not_found'],
  })
  async read(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @Param('item_id', new PathId(queueItemNotFound)) id: string,
    @CurrentReader() reader: Reader,
  ): Promise<WrittenJson> {
    const item = await this.items.find(scope, id);
    if (!item) throw queueItemNotFound();
    return this.pages.showOne(scope, item, caller.id, reader);
  }

  @Post(':item_id/claim')
  @HttpCode(200)
  @Operation({
    id: 'claimQueueItem',
    access: 'review',
    summary: 'Claim an item for review',
    answer: queueItemSchema,
    problems: [
      'queue_item_not_found',
      'queue_item_already_claimed',
      'queue_item_already_reviewed',
      'queue_item_completed',
    ],
  })
  async claim(
    @CurrentScope() scope: Scope,
    @CallingReviewer() caller: Reviewer,
    @Param('item_id', new PathId(queueItemNotFound)) id: string,
    @Body({ schema: claimSchema }) body: Claim,
  ): Promise<WrittenJson> {
    const reviewer = reviewerOf(body.claimed_by, caller);
    return new WrittenJson(queueItemJson(await this.queue.claim(scope, id, reviewer, Date.now())));
  }

  @Post(':item_id/release')
  @HttpCode(200)
  @Operation({
    id: 'releaseQueueItem',
    access: 'review',
    summary: 'Give a claimed item back',
    answer: queueItemSchema,
    problems: ['queue_item_not_found', 'queue_item_not_claimed', 'queue_item_completed'],
  })
  async release(
    @CurrentScope() scope: Scope,
    @Param('item_id', new PathId(queueItemNotFound)) id: string,
  ): Promise<WrittenJson> {
    return new WrittenJson(queueItemJson(await this.queue.release(scope, id)));
  }

  @Post(':item_id/submit')
  @KeepsNumberSources()
  @HttpCode(200)
  @Operation({
    id: 'submitQueueItem',
    access: 'review',
    summary: 'Complete a claimed item',
    answer: submittedItemSchema,
    description: '`apply` changes the datapoint, so that it needs the scope `write`.',
    problems: ['queue_item_not_found', 'queue_item_not_claimed', 'queue_item_completed'],
  })
  async submit(
    @CurrentScope() scope: Scope,
    @CurrentCaller() caller: Caller | undefined,
    @Param('item_id', new PathId(queueItemNotFound)) id: string,
    @Query({ schema: submitQuerySchema }) { apply }: SubmitQuery,
    @Body({ schema: submitSchema }) body: Submit,
  ): Promise<WrittenJson> {
    if (apply && caller && !holds(caller.permissions, 'write')) throw writeNeeded();
    const { item, applied } = await this.queue.submit(scope, id, body, apply, Date.now());
    const json = queueItemJson(item);
    return new WrittenJson(apply && !applied ? `${json.slice(0, -1)},"applied":false}` : json);
  }
}

const writeNeeded = (): DomainError =>
  new DomainError(
    'insufficient_scope',
    '?apply=true changes the datapoint: this needs a credential with the scope write',
  );

/** Answer of an enqueue. */
function enqueued({ items, existing }: { items: readonly QueueItemRow[]; existing: number }): WrittenJson {
  const shown = items.values().map((item) => queueItemJson(item, isBlind(item)));
  return writtenPage('items', shown, undefined, existing > 0 ? { existing } : {});
}

/** `/api/count/queue` (docs/spec/queue.md#counting-queues). */
@Controller('api/count/queue')
export class QueueCountsController {
  constructor(private readonly countQueues: CountQueues) {}

  @Get()
  @Operation({
    id: 'countQueue',
    access: 'read',
    summary: 'How many items each queue has, by status',
    answer: queueCountsSchema,
  })
  count(@CurrentScope() scope: Scope, @CurrentReader() reader: Reader): Promise<QueueCounts> {
    return this.countQueues.execute(scope, reader);
  }
}

/** How a dataset is reviewed, and how far reviewers agree (docs/spec/queue.md#progress-and-agreement). */
@Controller('api/datasets/:id')
export class ReviewsController {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly reviews: ReviewStore,
  ) {}

  @Get('queue/progress')
  @Operation({
    id: 'getQueueProgress',
    access: 'read',
    summary: 'How far the review of a dataset is, by reviewer',
    answer: queueProgressSchema,
    problems: ['dataset_not_found'],
  })
  async progress(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @CurrentReader() reader: Reader,
  ): Promise<QueueProgress> {
    if (!(await this.datasets.find(scope, id))) throw datasetNotFound();
    return this.reviews.progress(scope, id, reader);
  }

  @Get('agreement')
  @Operation({
    id: 'getAgreement',
    access: 'read',
    summary: 'How far the reviewers of a dataset agree',
    answer: agreementSchema,
    problems: ['dataset_not_found'],
  })
  async agreement(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Query({ schema: agreementQuerySchema }) query: AgreementQuery,
    @CurrentReader() reader: Reader,
  ): Promise<{ scores: AgreementOfScores[] }> {
    if (!(await this.datasets.find(scope, id))) throw datasetNotFound();
    return { scores: await this.reviews.agreement(scope, id, query, reader) };
  }
}

/** `/api/datasets/:id/queue` (docs/spec/queue.md#queue-routes). */
@Controller('api/datasets/:id/queue')
export class DatasetQueueController {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly lists: QueueListStore,
    private readonly enqueues: EnqueueItems,
    private readonly queue: ReviewQueue,
    private readonly pages: ShowQueueItems,
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
    return enqueued(await this.enqueues.enqueueDatapoints(scope, id, body));
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
    @CallingReviewer() caller: Reviewer,
    @Query({ schema: listQueueSchema }) query: ListQueue,
    @CurrentReader() reader: Reader,
  ): Promise<WrittenJson> {
    if (!(await this.datasets.find(scope, id))) throw datasetNotFound();
    return this.pages.show(scope, await this.lists.list(scope, id, query, reader), caller.id, reader);
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
