import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { SETTINGS, type Settings } from '@spandrel/kernel';
import { DeleteTraces } from './delete-traces.js';
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
    SpanCommitParticipants,
    SpanStore,
    TraceStore,
    DeleteTraces,
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
  exports: [PRICING, SpanCommitParticipants, SpanStore, TraceStore, RestoreRecords, RecordScanStore],
})
export class TracingModule {}
