import { defineFeature, ofProjects } from '@spandrel/kernel';
import { SpanPayloadSchema, SpanSchema } from './span.entity.js';
import { TraceSchema, TraceTagSchema } from './trace.entity.js';
import { LateTextSchema, TextCoverSchema, TextSliceSchema } from './text-slices/text-slice.entity.js';
import { TracingModule } from './tracing.module.js';
import { TracingSettings } from './tracing.settings.js';
import { UsageMarkSchema } from './usage-mark.entity.js';

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
    TextCoverSchema,
    TextSliceSchema,
    LateTextSchema,
  ],
  owned: ofProjects(
    'trace',
    'trace_tag',
    'usage_mark',
    'span_key',
    'span',
    'span_payload',
    'text_late',
    'text_slice',
    'text_cover',
  ),
  settings: [TracingSettings],
  requires: ['events'],
});
