import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { LOGGER, PLUGINS, type Logger, type PluginRegistry } from '@spandrel/kernel';
import { DayPartitions, Storage } from '@spandrel/storage';
import { FacetsController } from './facets.controller.js';
import { FacetListStore } from './listing/facet-list.store.js';
import { CountsController } from './counts.controller.js';
import { DeleteTraces } from './write/delete-traces.js';
import { ExpireBatch } from './retention/expire-batch.js';
import { ExpireDay } from './retention/expire-day.js';
import { ExpireSpans } from './retention/expire-spans.js';
import { ExpiredStore } from './retention/expired.store.js';
import { IngestController } from './ingest.controller.js';
import { Ingest } from './write/ingest.js';
import { RestoreRecords } from './write/restore-records.js';
import { SessionListStore } from './listing/session-list.store.js';
import { SpanCountStore } from './listing/span-count.store.js';
import { SpanListStore } from './listing/span-list.store.js';
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
import { LoadFamily } from './cover/load-family.js';
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
import { BuildSlices } from './text-slices/build-slices.js';
import { SettleWrites } from './text-slices/settle-writes.store.js';
import { TextCover } from './text-slices/text-cover.store.js';
import { TextSliceStore } from './text-slices/text-slice.store.js';
import { TextSliceTask } from './text-slices/text-slice-task.js';
import { TracesController } from './traces.controller.js';
import { TracingEvents } from './write/tracing-events.js';
import { WriteBatch } from './write/write-batch.js';

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
    LoadFamily,
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
    BuildSlices,
    SettleWrites,
    TextCover,
    TextSliceStore,
    TextSliceTask,
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
