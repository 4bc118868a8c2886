import { defineFeature } from '@spandrel/kernel';
import { QueueItemSchema } from './queue-item.entity.js';
import { QueueModule } from './queue.module.js';
import { QueueSettings } from './queue.settings.js';

export const queueFeature = defineFeature({
  name: 'queue',
  tag: { name: 'Review queue', description: 'Datapoints that people look at.' },
  module: QueueModule,
  entities: [QueueItemSchema],
  settings: [QueueSettings],
  requires: ['events', 'datasets'],
});
