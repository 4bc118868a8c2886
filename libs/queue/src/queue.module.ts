import { Module, type OnModuleInit } from '@nestjs/common';
import { DatasetParticipants, DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { Capabilities } from '@spandrel/http';
import { CountQueues } from './count-queues.js';
import { ClaimTimeout } from './claim-timeout.js';
import { EnqueueItems } from './enqueue-items.js';
import { QueueController } from './queue.controller.js';
import { QueueItemStore } from './queue-item.store.js';
import { QueueListStore } from './queue-list.store.js';
import { QueueSettings } from './queue.settings.js';
import { RestoreQueueItems } from './restore-queue-items.js';
import { ScoresModule } from '@spandrel/scores';
import { SpanCommitParticipants, TraceLookups, TracingModule } from '@spandrel/tracing';
import { ReviewStore } from './review.store.js';
import { ReviewQueue } from './review-queue.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { QueueItemSchema, QueueReviewerSchema } from './queue-item.entity.js';

/** The review queue. */
@Module({
  imports: [EventsModule, DatasetsModule, ScoresModule, TracingModule],
  controllers: [QueueController],
  providers: [
    QueueItemStore,
    QueueListStore,
    EnqueueItems,
    CountQueues,
    ReviewQueue,
    ReviewStore,
    ClaimTimeout,
    RestoreQueueItems,
  ],
  exports: [QueueListStore, RestoreQueueItems, ReviewStore],
})
export class QueueModule implements OnModuleInit {
  constructor(
    private readonly datasets: DatasetParticipants,
    private readonly spans: SpanCommitParticipants,
    private readonly traces: TraceLookups,
    private readonly items: QueueItemStore,
    private readonly capabilities: Capabilities,
    private readonly settings: QueueSettings,
  ) {}

  onModuleInit(): void {
    // How long a claim holds (docs/spec/capabilities.md#the-answer).
    this.capabilities.provide('claim_timeout', () => this.settings.claimTimeoutSeconds);
    this.spans.register(this.traces.takeAlong('queue', this.items));
    // Items go with their datapoints and with their dataset.
    this.datasets.register({
      name: 'queue',
      beforeDatapointsDelete: (tx, { scope, datasetId, datapointIds }) =>
        this.items.deleteOfDatapoints(tx, scope, datasetId, datapointIds),
      beforeDatasetDelete: (tx, { scope, datasetId }) => this.items.deleteOfDataset(tx, scope, datasetId),
    });
  }
}

export const queueFeature = defineFeature({
  name: 'queue',
  tag: { name: 'Review queue', description: 'Datapoints, traces, spans and sessions that people look at.' },
  module: QueueModule,
  entities: [QueueItemSchema, QueueReviewerSchema],
  owned: ofProjects('queue_item', 'queue_reviewer'),
  settings: [QueueSettings],
  requires: ['events', 'tracing', 'datasets', 'scores'],
});
