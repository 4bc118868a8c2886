import { defineFeature, ofProjects } from '@spandrel/kernel';
import { EventCounterSchema, EventLogSchema } from './log/event-log.entity.js';
import { EventsModule } from './events.module.js';
import { EventsSettings } from './events.settings.js';

export const eventsFeature = defineFeature({
  name: 'events',
  tag: { name: 'Events', description: 'What happens, as it happens.' },
  module: EventsModule,
  entities: [EventLogSchema, EventCounterSchema],
  owned: ofProjects('event_log', 'event_counter'),
  settings: [EventsSettings],
  requires: [],
});
