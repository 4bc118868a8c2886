import { Module } from '@nestjs/common';
import { DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { CountQueues, QueueCountStore } from './count-queues.js';
import { ClaimTimeout, QueueCapabilities } from './claim-timeout.js';
import { DatasetQueueController } from './dataset-queue.controller.js';
import { EnqueueDatapoints } from './enqueue-datapoints.js';
import { QueueCascade } from './queue-cascade.js';
import { QueueCountsController, QueueController } from './queue.controller.js';
import { QueueItemStore } from './queue-item.store.js';
import { QueueListStore } from './queue-list.store.js';
import { RestoreQueueItems } from './restore-queue-items.js';
import { ReviewQueue } from './review-queue.js';

/** The review queue. */
@Module({
  imports: [EventsModule, DatasetsModule],
  controllers: [DatasetQueueController, QueueController, QueueCountsController],
  providers: [
    QueueItemStore,
    QueueListStore,
    QueueCountStore,
    EnqueueDatapoints,
    CountQueues,
    ReviewQueue,
    ClaimTimeout,
    QueueCascade,
    QueueCapabilities,
    RestoreQueueItems,
  ],
  exports: [QueueListStore, RestoreQueueItems],
})
export class QueueModule {}
