import { defineFeature, ofProjects } from '@spandrel/kernel';
import { CaptureRuleSchema, CaptureSchema, CaptureTaskSchema } from './capture/capture-rule.entity.js';
import { DatapointSchema, DatapointSelectionSchema, DatasetImportSchema } from './datapoint.entity.js';
import { DatasetSchema } from './dataset.entity.js';
import { DatasetsModule } from './datasets.module.js';
import { DatasetsSettings } from './datasets.settings.js';

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
