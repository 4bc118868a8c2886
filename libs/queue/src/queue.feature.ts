import { defineFeature, ofProjects } from '@spandrel/kernel';
import { QueueItemSchema, QueueReviewerSchema } from './queue-item.entity.js';
import { QueueModule } from './queue.module.js';
import { QueueSettings } from './queue.settings.js';

export const queueFeature = defineFeature({
  name: 'queue',
  tag: { name: 'Review queue', description: 'Datapoints, traces, spans and sessions that people look at.' },
  module: QueueModule,
  entities: [QueueItemSchema, QueueReviewerSchema],
  owned: ofProjects('queue_item', 'queue_reviewer'),
  settings: [QueueSettings],
  requires: ['events', 'tracing', 'datasets', 'scores'],
});
