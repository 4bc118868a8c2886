import { defineFeature } from '@spandrel/kernel';
import { SpanPayloadSchema, SpanSchema } from './span.entity.js';
import { TraceSchema, TraceTagSchema } from './trace.entity.js';
import { TracingModule } from './tracing.module.js';
import { TracingSettings } from './tracing.settings.js';
import { UsageMarkSchema } from './usage-mark.entity.js';

export const tracingFeature = defineFeature({
  name: 'tracing',
  tag: { name: 'Tracing', description: 'Traces, their spans, and sessions of traces.' },
  module: TracingModule,
  entities: [TraceSchema, TraceTagSchema, SpanSchema, SpanPayloadSchema, UsageMarkSchema],
  settings: [TracingSettings],
  requires: ['events'],
});
