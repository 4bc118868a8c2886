import { defineFeature } from '@spandrel/kernel';
import { QueueItemSchema } from './queue-item.entity.js';
import { QueueModule } from './queue.module.js';

export const queueFeature = defineFeature({
  name: 'queue',
  module: QueueModule,
  entities: [QueueItemSchema],
  requires: ['events', 'datasets'],
});
