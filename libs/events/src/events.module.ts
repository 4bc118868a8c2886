import { Module } from '@nestjs/common';
import { DomainEvents } from './domain-events.js';
import { EventBus } from './event-bus.js';
import { EventLog } from './event-log.js';
import { EventLogStore } from './event-log.store.js';
import { EventMetrics } from './event-metrics.js';
import { EventStreams } from './event-streams.js';
import { EventsController } from './events.controller.js';
import { ProjectFeeds } from './project-feeds.js';
import { PruneEvents } from './prune-events.js';
import { RedisFanout } from './redis-fanout.js';
import { ReplaySlices } from './replay-slices.js';

/** The events of all features: told in the transactions that make them, kept in a log, streamed to clients. */
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
