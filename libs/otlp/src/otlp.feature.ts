import { defineFeature, ofProjects } from '@spandrel/kernel';
import { OtlpModule } from './otlp.module.js';
import { OtlpSettings } from './otlp.settings.js';
import { OtlpEventSchema } from './write/otlp-event.entity.js';

export const otlpFeature = defineFeature({
  name: 'otlp',
  tag: { name: 'OpenTelemetry', description: 'Exports of OpenTelemetry over HTTP.' },
  module: OtlpModule,
  entities: [OtlpEventSchema],
  owned: ofProjects('otlp_event'),
  settings: [OtlpSettings],
  requires: ['tracing'],
});
