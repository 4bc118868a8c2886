import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { LOGGER, SETTINGS, type Logger, type Settings } from '@spandrel/kernel';
import { DayPartitions, Storage } from '@spandrel/storage';
import { DeleteTraces } from './delete-traces.js';
import { ExpireBatch } from './expire-batch.js';
import { ExpireDay } from './expire-day.js';
import { ExpireSpans } from './expire-spans.js';
import { ExpiredStore } from './expired.store.js';
import { IngestController } from './ingest.controller.js';
import { Ingest } from './ingest.js';
import { RestoreRecords } from './restore-records.js';
import { SessionListStore } from './session-list.store.js';
import { SpanListStore } from './span-list.store.js';
import { TraceListStore } from './trace-list.store.js';
import { loadPricing, PRICING } from './pricing.js';
import { ReadTrace } from './read-trace.js';
import { RecordScanStore } from './record-scan.store.js';
import { RecordWrites } from './record-writes.js';
import { RetentionTask } from './retention-task.js';
import { SessionsController } from './sessions.controller.js';
import { SpanCommitParticipants } from './span-commit-participant.js';
import { SpanMetrics } from './span-metrics.js';
import { SpanStore } from './span.store.js';
import { SpansController } from './spans.controller.js';
import { TraceStore } from './trace.store.js';
import { TracesController } from './traces.controller.js';
import { TracingEvents } from './tracing-events.js';
import { WriteBatch } from './write-batch.js';

/** Traces, spans, sessions and ingest. */
@Module({
  imports: [EventsModule],
  controllers: [TracesController, SpansController, SessionsController, IngestController],
  providers: [
    {
      provide: PRICING,
      inject: [SETTINGS],
      useFactory: ({ pricing }: Pick<Settings, 'pricing'>) => loadPricing(pricing.models),
    },
    {
      provide: DayPartitions,
      inject: [Storage, LOGGER],
      useFactory: (storage: Storage, logger: Logger) => new DayPartitions(storage, logger),
    },
    SpanCommitParticipants,
    SpanStore,
    TraceStore,
    DeleteTraces,
    ExpiredStore,
    ExpireBatch,
    ExpireDay,
    ExpireSpans,
    RetentionTask,
    WriteBatch,
    TracingEvents,
    SpanMetrics,
    RecordWrites,
    Ingest,
    RestoreRecords,
    RecordScanStore,
    SpanListStore,
    TraceListStore,
    SessionListStore,
    ReadTrace,
  ],
  exports: [ExpireSpans, PRICING, SpanCommitParticipants, SpanStore, TraceStore, RestoreRecords, RecordScanStore],
})
export class TracingModule {}
