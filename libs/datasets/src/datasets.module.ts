import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { TracingModule } from '@spandrel/tracing';
import { CaptureAtSpanEnd } from './capture-at-span-end.js';
import { CaptureMetrics } from './capture-metrics.js';
import { CaptureRuleStore } from './capture-rule.store.js';
import { CaptureRulesController } from './capture-rules.controller.js';
import { CaptureRulesOfDataset } from './capture-rules-of-dataset.js';
import { CaptureSpans } from './capture-spans.js';
import { CaptureSpanTagsStore } from './capture-span-tags.store.js';
import { CaptureTaskStore } from './capture-task.store.js';
import { CaptureWorker } from './capture-worker.js';
import { ChangeDatapoints } from './change-datapoints.js';
import { DatapointStore } from './datapoint.store.js';
import { DatapointsController } from './datapoints.controller.js';
import { DatasetParticipants } from './dataset-participants.js';
import { DatasetSnapshots } from './dataset-snapshots.js';
import { DatasetStore } from './dataset.store.js';
import { DatasetsController } from './datasets.controller.js';
import { DeleteDataset } from './delete-dataset.js';
import { ExportDataset } from './export-dataset.js';
import { ExportSpanToDataset } from './export-span.js';
import { ExportController } from './export.controller.js';
import { FinishImports } from './finish-imports.js';
import { ImportFile } from './import-file.js';
import { ImportUpkeep } from './import-upkeep.js';
import { ImportController } from './import.controller.js';
import { ImportStore } from './import.store.js';
import { RestoreDatasets } from './restore-datasets.js';
import { SnapshotStore } from './snapshot.store.js';
import { UploadSpool } from './upload-spool.js';

/** Datasets, datapoints, their import and export, capture rules. */
@Module({
  imports: [EventsModule, TracingModule],
  controllers: [DatasetsController, DatapointsController, ImportController, ExportController, CaptureRulesController],
  providers: [
    DatasetStore,
    DatapointStore,
    SnapshotStore,
    DatasetParticipants,
    ChangeDatapoints,
    DatasetSnapshots,
    DeleteDataset,
    ExportSpanToDataset,
    ImportStore,
    FinishImports,
    ImportUpkeep,
    UploadSpool,
    ImportFile,
    ExportDataset,
    RestoreDatasets,
    CaptureMetrics,
    CaptureRuleStore,
    CaptureTaskStore,
    CaptureSpanTagsStore,
    CaptureRulesOfDataset,
    CaptureSpans,
    CaptureWorker,
    CaptureAtSpanEnd,
  ],
  exports: [
    DatasetStore,
    DatapointStore,
    DatasetParticipants,
    ChangeDatapoints,
    DatasetSnapshots,
    RestoreDatasets,
    UploadSpool,
  ],
})
export class DatasetsModule {}
