import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { LOGGER, PLUGINS, type Logger, type PluginRegistry } from '@spandrel/kernel';
import { DayPartitions, Storage } from '@spandrel/storage';
import { FacetsController, CountsController } from './counts.controller.js';
import { FacetListStore } from './listing/facet-list.store.js';
import { DeleteTraces, WriteBatch } from './write/write-batch.js';
import { ExpireBatch } from './retention/expire-batch.js';
import { ExpireDay } from './retention/expire-day.js';
import { ExpireSpans } from './retention/expire-spans.js';
import { ExpiredStore } from './retention/expired.store.js';
import { IngestController } from './ingest.controller.js';
import { Ingest, RestoreRecords } from './write/ingest.js';
import { SessionListStore } from './listing/session-list.store.js';
import { SpanCountStore, SpanListStore } from './listing/span-list.store.js';
import { TraceListStore } from './listing/trace-list.store.js';
import { WarmLists } from './listing/warm-lists.js';
import { LastCallStore } from './outline/last-call.store.js';
import { PreviewTraces } from './outline/preview-traces.js';
import { SpanOutlineStore } from './outline/span-outline.store.js';
import { loadPricing, pricesOfPlugins, PRICING } from './pricing.js';
import { ReadTrace } from './read-trace.js';
import { SpanLookups } from './reading/span-lookups.store.js';
import { TraceLookups } from './reading/trace-lookups.store.js';
import { RecordScanStore } from './record-scan.store.js';
import { LoadRelatives } from './usage-attribution/load-relatives.js';
import { RecordSpans } from './write/record-spans.js';
import { RecordWrites } from './write/record-writes.js';
import { RetentionMetrics } from './retention/retention-metrics.js';
import { RetentionTask } from './retention/retention-task.js';
import { SessionsController } from './sessions.controller.js';
import { SpanCommitParticipants } from './write/span-commit-participant.js';
import { SpanMetrics } from './span-metrics.js';
import { SpanStore } from './span.store.js';
import { SpansController } from './spans.controller.js';
import { TraceStore } from './trace.store.js';
import { SPAN_DAYS } from './tables.js';
import { TracingSettings } from './tracing.settings.js';
import { BuildTextIndex } from './text-index/build-text-index.js';
import { WriteBarrier, IndexWatermark } from './text-index/index-watermark.store.js';
import { TextIndexStore } from './text-index/text-index.store.js';
import { TextIndexTask } from './text-index/text-index-task.js';
import { TracesController } from './traces.controller.js';
import { TracingEvents } from './write/tracing-events.js';

/** Traces, spans, sessions and ingest. */
@Module({
  imports: [EventsModule],
  controllers: [
    TracesController,
    SpansController,
    SessionsController,
    CountsController,
    FacetsController,
    IngestController,
  ],
  providers: [
    {
      provide: PRICING,
      inject: [TracingSettings, PLUGINS],
      useFactory: ({ prices }: TracingSettings, plugins: PluginRegistry) =>
        loadPricing(prices, pricesOfPlugins(plugins)),
    },
    {
      provide: DayPartitions,
      inject: [Storage, LOGGER],
      useFactory: (storage: Storage, logger: Logger) => new DayPartitions(storage, logger, SPAN_DAYS),
    },
    SpanCommitParticipants,
    SpanStore,
    TraceStore,
    DeleteTraces,
    ExpiredStore,
    ExpireBatch,
    ExpireDay,
    ExpireSpans,
    RetentionMetrics,
    RetentionTask,
    WriteBatch,
    TracingEvents,
    SpanMetrics,
    RecordWrites,
    LoadRelatives,
    RecordSpans,
    Ingest,
    RestoreRecords,
    RecordScanStore,
    TraceLookups,
    SpanLookups,
    SpanListStore,
    SpanCountStore,
    FacetListStore,
    SpanOutlineStore,
    LastCallStore,
    PreviewTraces,
    TraceListStore,
    SessionListStore,
    WarmLists,
    ReadTrace,
    BuildTextIndex,
    WriteBarrier,
    IndexWatermark,
    TextIndexStore,
    TextIndexTask,
  ],
  exports: [
    ExpireSpans,
    Ingest,
    PRICING,
    SpanCommitParticipants,
    SpanStore,
    TraceStore,
    RestoreRecords,
    RecordScanStore,
    RecordSpans,
    SpanLookups,
    SpanOutlineStore,
    TraceLookups,
  ],
})
export class TracingModule {}
