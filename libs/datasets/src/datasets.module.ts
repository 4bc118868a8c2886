import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { TracingModule } from '@spandrel/tracing';
import { UploadsModule } from '@spandrel/uploads';
import { CaptureAtSpanEnd } from './capture/capture-at-span-end.js';
import { CaptureMetrics, CaptureWorker } from './capture/capture-worker.js';
import { CaptureRuleStore, CaptureRulesOfDataset } from './capture/capture-rule.store.js';
import { CaptureRulesController } from './capture/capture-rules.controller.js';
import { CaptureSpans } from './capture/capture-spans.js';
import { CaptureTaskStore } from './capture/capture-task.store.js';
import { ChangeCaptureRules, PreviewCapture } from './capture/change-capture-rules.js';
import { ChangeDatapoints } from './change-datapoints.js';
import { ChangeDatasets } from './change-datasets.js';
import { EditDatapoints } from './edit-datapoints.js';
import { DatapointListStore } from './datapoint-list.store.js';
import { DatapointStore } from './datapoint.store.js';
import { DatapointsController } from './datapoints.controller.js';
import { DatasetParticipants } from './dataset-participants.js';
import { DatasetSnapshots } from './snapshots/dataset-snapshots.js';
import { DatasetStore } from './dataset.store.js';
import { DatasetsController } from './datasets.controller.js';
import { ExportDataset } from './export/export-dataset.js';
import { ExportSpanToDataset, ExportSpansToDataset } from './export-spans.js';
import { ExportController } from './export/export.controller.js';
import { FinishImports } from './import/finish-imports.js';
import { ImportFile, ImportCapabilities } from './import/import-file.js';
import { ImportUpkeep } from './import/import-upkeep.js';
import { ImportController } from './import/import.controller.js';
import { ImportStore } from './import/import.store.js';
import { RestoreCaptureRules } from './restore/restore-capture-rules.js';
import { RestoreDatapointVersions } from './restore/restore-datapoint-versions.js';
import { RestoreDatasets } from './restore/restore-datasets.js';
import { DatapointVersionStore } from './snapshots/datapoint-version.store.js';
import { SnapshotContents } from './snapshots/snapshot-contents.js';
import { SnapshotStore } from './snapshots/snapshot.store.js';

/** Datasets, datapoints, their import and export, capture rules. */
@Module({
  imports: [EventsModule, TracingModule, UploadsModule],
  controllers: [DatasetsController, DatapointsController, ImportController, ExportController, CaptureRulesController],
  providers: [
    DatasetStore,
    DatapointStore,
    DatapointListStore,
    SnapshotStore,
    SnapshotContents,
    DatapointVersionStore,
    DatasetParticipants,
    ChangeDatapoints,
    DatasetSnapshots,
    ChangeDatasets,
    EditDatapoints,
    ExportSpanToDataset,
    ExportSpansToDataset,
    ImportStore,
    FinishImports,
    ImportUpkeep,
    ImportCapabilities,
    ImportFile,
    ExportDataset,
    RestoreDatasets,
    RestoreDatapointVersions,
    RestoreCaptureRules,
    CaptureMetrics,
    CaptureRuleStore,
    ChangeCaptureRules,
    CaptureTaskStore,
    CaptureRulesOfDataset,
    CaptureSpans,
    CaptureWorker,
    PreviewCapture,
    CaptureAtSpanEnd,
  ],
  exports: [
    DatasetStore,
    DatapointStore,
    DatapointVersionStore,
    CaptureRuleStore,
    DatasetParticipants,
    ChangeDatapoints,
    DatasetSnapshots,
    SnapshotContents,
    RestoreDatasets,
    RestoreDatapointVersions,
    RestoreCaptureRules,
  ],
})
export class DatasetsModule {}
