import { Module, type OnModuleInit } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { Capabilities } from '@spandrel/http';
import { TracingModule } from '@spandrel/tracing';
import { UploadsModule } from '@spandrel/uploads';
import { CaptureMetrics, CaptureWorker } from './capture/capture-worker.js';
import { CaptureRuleStore } from './capture/capture-rule.store.js';
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
import { ChooseDatapoints } from './snapshots/choose-datapoints.js';
import { DatasetSnapshots } from './snapshots/dataset-snapshots.js';
import { DatasetStore } from './dataset.store.js';
import { DatasetsSettings } from './datasets.settings.js';
import { DatasetsController } from './datasets.controller.js';
import { ExportDataset } from './export/export-dataset.js';
import { ExportSpansToDataset } from './export-spans.js';
import { ExportController } from './export/export.controller.js';
import { ImportUpkeep } from './import/import-upkeep.js';
import { ImportFile } from './import/import-file.js';
import { ImportController } from './import/import.controller.js';
import { ImportStore } from './import/import.store.js';
import { RestoreCaptureRules } from './restore/restore-capture-rules.js';
import { RestoreDatapointVersions } from './restore/restore-datapoint-versions.js';
import { RestoreDatasets } from './restore/restore-datasets.js';
import { DatapointVersionStore } from './snapshots/datapoint-version.store.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { CaptureRuleSchema, CaptureSchema, CaptureTaskSchema } from './capture/capture-rule.entity.js';
import { DatapointSchema, DatapointSelectionSchema, DatasetImportSchema } from './datapoint.entity.js';
import { DatasetSchema } from './dataset.entity.js';

const DATAPOINTS = [
  ...[DatasetStore, DatapointStore, DatapointListStore, DatapointVersionStore, DatasetParticipants],
  ...[ChangeDatasets, ChangeDatapoints, EditDatapoints, DatasetSnapshots, ChooseDatapoints],
];

/** The tables of datasets and datapoints, every change to them, and snapshots. */
@Module({ imports: [EventsModule, TracingModule], providers: DATAPOINTS, exports: DATAPOINTS })
class DatapointsModule {}

/** What brings many datapoints in, and out as a file. */
@Module({
  imports: [DatapointsModule, EventsModule, TracingModule, UploadsModule],
  providers: [ImportStore, ImportUpkeep, ImportFile, ExportSpansToDataset, ExportDataset],
  exports: [ImportFile, ExportSpansToDataset, ExportDataset],
})
class ImportsModule {}

/** Capture rules, and the work that turns spans into datapoints by them. */
@Module({
  imports: [DatapointsModule, EventsModule, TracingModule],
  providers: [
    ...[CaptureRuleStore, CaptureTaskStore, CaptureMetrics, ChangeCaptureRules, PreviewCapture],
    ...[CaptureSpans, CaptureWorker],
  ],
  exports: [CaptureRuleStore, ChangeCaptureRules, PreviewCapture],
})
class CaptureModule implements OnModuleInit {
  constructor(
    private readonly participants: DatasetParticipants,
    private readonly rules: CaptureRuleStore,
  ) {}

  /** A dataset takes its rules along (docs/spec/datasets.md#deleting-a-dataset). */
  onModuleInit(): void {
    this.participants.register({
      name: 'capture-rules',
      beforeDatasetDelete: (tx, { scope, datasetId }) => this.rules.deleteAll(tx, scope, datasetId),
    });
  }
}

const RESTORES = [RestoreDatasets, RestoreDatapointVersions, RestoreCaptureRules];

/** Bringing back what an export of everything has. */
@Module({ imports: [DatapointsModule, CaptureModule, EventsModule], providers: RESTORES, exports: RESTORES })
class RestoreModule {}

/** Datasets, datapoints, their import and export, capture rules. */
@Module({
  imports: [DatapointsModule, ImportsModule, CaptureModule, RestoreModule],
  controllers: [DatasetsController, DatapointsController, ImportController, ExportController, CaptureRulesController],
  exports: [DatapointsModule, ImportsModule, CaptureModule, RestoreModule],
})
export class DatasetsModule implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly settings: DatasetsSettings,
  ) {}

  /** Says how large a file may be that is imported (docs/spec/capabilities.md#the-answer). */
  onModuleInit(): void {
    this.capabilities.provide('import_file_bytes', () => this.settings.importFileBytes);
  }
}

export const datasetsFeature = defineFeature({
  name: 'datasets',
  tag: { name: 'Datasets', description: 'Datapoints, import and export, and rules that capture spans.' },
  module: DatasetsModule,
  entities: [
    ...[DatasetSchema, DatapointSchema, DatapointSelectionSchema, DatasetImportSchema],
    ...[CaptureRuleSchema, CaptureTaskSchema, CaptureSchema],
  ],
  owned: ofProjects(
    ...(['dataset_import', 'capture_rule', 'capture_task', 'capture'] as const),
    ...(['datapoint_selection', 'datapoint', 'dataset'] as const),
  ),
  settings: [DatasetsSettings],
  requires: ['events', 'tracing'],
});
