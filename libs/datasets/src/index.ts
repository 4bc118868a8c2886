export { findFailedFilter, givenFilters, spanMatcher, type JudgedSpan } from './capture/capture-filters.js';
export { captureRuleResource } from './capture/change-capture-rules.js';
export { CaptureRuleStore } from './capture/capture-rule.store.js';
export { endedSpans } from './capture/capture-worker.js';
export { ChangeDatapoints } from './change-datapoints.js';
export { ChangeDatasets } from './change-datasets.js';
export { checkedDatapoint, datapointOfSpan } from './datapoint-of-span.js';
export { datapointJson, datapointKind, datapointResource } from './datapoint-resource.js';
export { CURRENT, DatapointStore, type DatapointResult } from './datapoint.store.js';
export type { DatapointRow } from './datapoint.entity.js';
export { ExportSpansToDataset, spansInSlices } from './export-spans.js';
export { csvCell } from './export/export-dataset.js';
export { DatapointVersionStore } from './snapshots/datapoint-version.store.js';
export {
  DatapointId,
  datapointNotFound,
  DatasetId,
  datasetNotFound,
  DatasetParticipants,
  type DatapointsDeletion,
  type DatasetParticipant,
} from './dataset-participants.js';
export { ChooseDatapoints, sampleKey } from './snapshots/choose-datapoints.js';
export { contentOf, DatasetSnapshots, type Snapshot, type SnapshotDatapoint } from './snapshots/dataset-snapshots.js';
export { datasetResource, DatasetStore } from './dataset.store.js';
export { datasetsFeature, DatasetsModule } from './datasets.module.js';
export { RestoreCaptureRules } from './restore/restore-capture-rules.js';
export { RestoreDatapointVersions } from './restore/restore-datapoint-versions.js';
export { RestoreDatasets, type OpenVersion } from './restore/restore-datasets.js';
