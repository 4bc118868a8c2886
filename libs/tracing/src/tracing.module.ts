import { Module } from '@nestjs/common';
import { CountsController, FacetsController } from './counts.controller.js';
import { IngestController } from './ingest.controller.js';
import { FacetListStore } from './listing/facet-list.store.js';
import { SessionListStore } from './listing/session-list.store.js';
import { SpanListStore } from './listing/span-list.store.js';
import { TraceListStore } from './listing/trace-list.store.js';
import { UserListStore } from './listing/user-list.store.js';
import { WarmLists } from './listing/warm-lists.js';
import { IndexMetadataTask } from './metadata/index-metadata-task.js';
import { PreviewTraces } from './outline/preview-traces.js';
import { PricesController } from './prices.controller.js';
import { ReadTrace } from './read-trace.js';
import { RecordsModule } from './reading/records.module.js';
import { ApplyPrices } from './repricing/apply-prices.js';
import { ListPrices } from './repricing/list-prices.js';
import { PricedSpansStore } from './repricing/priced-spans.store.js';
import { ColdPayloads } from './retention/cold-payloads.store.js';
import { ExpireBatch } from './retention/expire-batch.js';
import { ExpireDay } from './retention/expire-day.js';
import { ExpireSpans } from './retention/expire-spans.js';
import { ExpiredStore } from './retention/expired.store.js';
import { RetentionTask } from './retention/retention-task.js';
import { SessionsController } from './sessions.controller.js';
import { SpansController } from './spans.controller.js';
import { BuildTextIndex } from './text-index/build-text-index.js';
import { TextIndexTask } from './text-index/text-index-task.js';
import { TextIndexStore } from './text-index/text-index.store.js';
import { TracesController } from './traces.controller.js';
import { UsersController } from './users.controller.js';
import { WriteModule } from './write/write.module.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { SpanPayloadSchema, SpanSchema } from './span.entity.js';
import { TraceSchema, TraceTagSchema, UsageMarkSchema } from './trace.entity.js';
import { MetadataKeySchema } from './metadata/metadata.entity.js';
import { PendingTextSchema, IndexWatermarkSchema, TextSliceSchema } from './text-index/text-index.entity.js';
import { ScanSettings, TracingSettings } from './tracing.settings.js';

const LISTS = [SpanListStore, TraceListStore, SessionListStore, UserListStore, FacetListStore, PreviewTraces];

/** Lists, counts and facets. */
@Module({ imports: [RecordsModule], providers: [...LISTS, WarmLists], exports: LISTS })
class ListingModule {}

/** Deletes what plans do not keep. */
@Module({
  imports: [RecordsModule],
  providers: [ExpiredStore, ExpireBatch, ExpireDay, ExpireSpans, RetentionTask, ColdPayloads],
  exports: [ExpireSpans, ColdPayloads],
})
class RetentionModule {}

/** The index of texts (libs/tracing/src/text-index/README.md). */
@Module({ imports: [RecordsModule], providers: [TextIndexStore, BuildTextIndex, TextIndexTask] })
class TextIndexModule {}

/** Traces, spans, sessions and ingest: the routes, on top of the modules that write, list and expire. */
@Module({
  imports: [RecordsModule, WriteModule, ListingModule, RetentionModule, TextIndexModule],
  controllers: [
    ...[TracesController, SpansController, SessionsController, UsersController],
    ...[CountsController, FacetsController, IngestController, PricesController],
  ],
  providers: [IndexMetadataTask, ReadTrace, ListPrices, PricedSpansStore, ApplyPrices],
  exports: [RecordsModule, WriteModule, ListingModule, RetentionModule, ReadTrace],
})
export class TracingModule {}

export const tracingFeature = defineFeature({
  name: 'tracing',
  tag: { name: 'Tracing', description: 'Traces, their spans, and sessions of traces.' },
  module: TracingModule,
  entities: [
    TraceSchema,
    TraceTagSchema,
    SpanSchema,
    SpanPayloadSchema,
    UsageMarkSchema,
    MetadataKeySchema,
    IndexWatermarkSchema,
    TextSliceSchema,
    PendingTextSchema,
  ],
  owned: ofProjects(
    'trace',
    'trace_tag',
    'usage_mark',
    'span_key',
    'span',
    'span_payload',
    'text_pending',
    'text_slice',
    'text_watermark',
  ),
  settings: [TracingSettings, ScanSettings],
  requires: ['events'],
});
