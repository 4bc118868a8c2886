import { Module } from '@nestjs/common';
import { LOGGER, PLUGINS, type Logger, type PluginRegistry, defineFeature, ofProjects } from '@spandrel/kernel';
import { TracingModule } from '@spandrel/tracing';
import { OtlpController } from './http/otlp.controller.js';
import { ExportReader } from './aside/export-reader.js';
import { TakeExport } from './http/take-export.js';
import { DialectReader } from './reading/dialect-reader.js';
import { EvaluationScores } from './write/evaluation-scores.js';
import { EventUpkeep } from './write/event-upkeep.js';
import { MergeEvents } from './write/merge-events.js';
import { OtlpEventStore } from './write/otlp-event.store.js';
import { OtlpWriteMetrics } from './write/otlp-write-metrics.js';
import { StoreExport } from './write/store-export.js';
import { OtlpSettings } from './otlp.settings.js';
import { OtlpEventSchema } from './write/otlp-event.entity.js';

/** Takes exports of OpenTelemetry over HTTP, reads them with the dialects that are loaded, and stores them through tracing. */
@Module({
  imports: [TracingModule],
  controllers: [OtlpController],
  providers: [
    TakeExport,
    ExportReader,
    {
      provide: DialectReader,
      inject: [PLUGINS, OtlpWriteMetrics, LOGGER],
      useFactory: ({ dialects }: PluginRegistry, metrics: OtlpWriteMetrics, logger: Logger) =>
        new DialectReader(dialects, (dialect, error) => {
          metrics.countDialectError(dialect);
          logger.debug({ dialect, err: error }, 'a dialect threw over a span; the others were asked');
        }),
    },
    StoreExport,
    OtlpEventStore,
    MergeEvents,
    EvaluationScores,
    OtlpWriteMetrics,
    EventUpkeep,
  ],
})
class OtlpModule {}

export const otlpFeature = defineFeature({
  name: 'otlp',
  tag: { name: 'OpenTelemetry', description: 'Exports of OpenTelemetry over HTTP.' },
  module: OtlpModule,
  entities: [OtlpEventSchema],
  owned: ofProjects('otlp_event'),
  settings: [OtlpSettings],
  requires: ['tracing'],
});
