import { defineFeature } from '@spandrel/kernel';
import { OtlpModule } from './otlp.module.js';
import { OtlpSettings } from './otlp.settings.js';
import { OtlpEventSchema } from './write/otlp-event.entity.js';

export const otlpFeature = defineFeature({
  name: 'otlp',
  tag: { name: 'OpenTelemetry', description: 'Exports of OpenTelemetry over HTTP.' },
  module: OtlpModule,
  entities: [OtlpEventSchema],
  settings: [OtlpSettings],
  requires: ['tracing'],
});
