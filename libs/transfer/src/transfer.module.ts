import { Module } from '@nestjs/common';
import { AlertsModule } from '@spandrel/alerts';
import { CollaborationModule } from '@spandrel/collaboration';
import { ConnectionsModule } from '@spandrel/connections';
import { DatasetsModule } from '@spandrel/datasets';
import { EvalsModule } from '@spandrel/evals';
import { QueueModule } from '@spandrel/queue';
import { ScoresModule } from '@spandrel/scores';
import { TracingModule } from '@spandrel/tracing';
import { UploadsModule } from '@spandrel/uploads';
import { ExportCollections } from './export-collections.js';
import { ExportEverything } from './export-everything.js';
import { WriteImportBatch } from './import-batch.js';
import { ImportEverything } from './import-everything.js';
import { WriteBundle } from './write-bundle.js';
import { TransferController } from './transfer.controller.js';
import { defineFeature } from '@spandrel/kernel';
import { TransferSettings } from './transfer.settings.js';

@Module({
  imports: [
    TracingModule,
    DatasetsModule,
    ConnectionsModule,
    EvalsModule,
    QueueModule,
    ScoresModule,
    CollaborationModule,
    AlertsModule,
    UploadsModule,
  ],
  controllers: [TransferController],
  providers: [ExportCollections, ExportEverything, WriteImportBatch, ImportEverything, WriteBundle],
})
class TransferModule {}

export const transferFeature = defineFeature({
  name: 'transfer',
  tag: { name: 'Transfer', description: 'Everything out, and in again.' },
  module: TransferModule,
  entities: [],
  settings: [TransferSettings],
  requires: ['tracing', 'datasets', 'connections', 'evals', 'queue', 'scores', 'collaboration', 'alerts'],
});
