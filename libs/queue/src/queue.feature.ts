import { defineFeature } from '@spandrel/kernel';
import { QueueItemSchema } from './queue-item.entity.js';
import { QueueModule } from './queue.module.js';

export const queueFeature = defineFeature({
  name: 'queue',
  tag: { name: 'Review queue', description: 'Datapoints that people look at.' },
  module: QueueModule,
  entities: [QueueItemSchema],
  requires: ['events', 'datasets'],
});
