import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { PLUGINS, type PluginRegistry } from '@spandrel/kernel';
import { loadPricing, pricesOfPlugins, PRICING } from '../pricing.js';
import { RecordsModule } from '../reading/records.module.js';
import { SpanMetrics } from '../span-metrics.js';
import { TracingSettings } from '../tracing.settings.js';
import { LoadRelatives } from '../usage-attribution/load-relatives.js';
import { Ingest, RestoreRecords } from './ingest.js';
import { RecordSpans } from './record-spans.js';
import { RecordWrites } from './record-writes.js';
import { TracingEvents } from './tracing-events.js';
import { DeleteTraces, WriteBatch } from './write-batch.js';

/** All that writes traces and spans. */
@Module({
  imports: [EventsModule, RecordsModule],
  providers: [
    {
      provide: PRICING,
      inject: [TracingSettings, PLUGINS],
      useFactory: ({ prices }: TracingSettings, plugins: PluginRegistry) =>
        loadPricing(prices, pricesOfPlugins(plugins)),
    },
    ...[TracingEvents, SpanMetrics, LoadRelatives, DeleteTraces, WriteBatch],
    ...[RecordWrites, Ingest, RecordSpans, RestoreRecords],
  ],
  exports: [PRICING, RecordWrites, Ingest, RecordSpans, RestoreRecords],
})
export class WriteModule {}
