import { defineFeature, ofProjects } from '@spandrel/kernel';
import { SpanPayloadSchema, SpanSchema } from './span.entity.js';
import { TraceSchema, TraceTagSchema, UsageMarkSchema } from './trace.entity.js';
import { MetadataKeySchema } from './metadata/metadata.entity.js';
import { PendingTextSchema, IndexWatermarkSchema, TextSliceSchema } from './text-index/text-index.entity.js';
import { TracingModule } from './tracing.module.js';
import { ScanSettings, TracingSettings } from './tracing.settings.js';

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
