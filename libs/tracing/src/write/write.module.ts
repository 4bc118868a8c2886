import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { CurrentPrices } from '../pricing/current-prices.js';
import { PRICING } from '../pricing/pricing.js';
import { RecordsModule } from '../reading/records.module.js';
import { SpanMetrics } from '../span-metrics.js';
import { LoadRelatives } from '../usage-attribution/load-relatives.js';
import { Ingest } from '../ingest.controller.js';
import { RecordSpans, RestoreRecords } from './record-spans.js';
import { DeleteTraces, RecordWrites, WriteBatch } from './record-writes.js';
import { TracingEvents } from './tracing-events.js';

/** All that writes traces and spans. */
@Module({
  imports: [EventsModule, RecordsModule],
  providers: [
    CurrentPrices,
    { provide: PRICING, useExisting: CurrentPrices },
    ...[TracingEvents, SpanMetrics, LoadRelatives, DeleteTraces, WriteBatch],
    ...[RecordWrites, Ingest, RecordSpans, RestoreRecords],
  ],
  exports: [PRICING, CurrentPrices, RecordWrites, Ingest, RecordSpans, RestoreRecords],
})
export class WriteModule {}
