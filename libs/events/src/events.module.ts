import { Module } from '@nestjs/common';
import { DomainEvents } from './domain-events.js';
import { EventBus, ProjectFeeds } from './feed/project-feeds.js';
import { EventLog, PruneEvents } from './log/event-log.js';
import { EventLogStore } from './log/event-log.store.js';
import { EventMetrics } from './event-metrics.js';
import { EventStreams } from './stream/event-streams.js';
import { EventsController } from './events.controller.js';
import { RedisFanout } from './feed/redis-fanout.js';
import { ReplaySlices } from './stream/event-stream.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { EventCounterSchema, EventLogSchema } from './log/event-log.entity.js';
import { EventsSettings } from './events.settings.js';

/** The events of all features: emitted in the transactions that make them, kept in a log, streamed to clients. */
@Module({
  controllers: [EventsController],
  providers: [
    DomainEvents,
    EventBus,
    EventLogStore,
    EventMetrics,
    EventLog,
    ProjectFeeds,
    ReplaySlices,
    EventStreams,
    RedisFanout,
    PruneEvents,
  ],
  exports: [DomainEvents],
})
export class EventsModule {}

export const eventsFeature = defineFeature({
  name: 'events',
  tag: { name: 'Events', description: 'What happens, as it happens.' },
  module: EventsModule,
  entities: [EventLogSchema, EventCounterSchema],
  owned: ofProjects('event_log', 'event_counter'),
  settings: [EventsSettings],
  requires: [],
});
