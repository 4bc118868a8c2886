export { EvalResultStore, EvalSampleStore } from './eval-result.store.js';
export type { EvalResultRow, EvalSampleRow } from './eval-run.entity.js';
export { EvalRunStore } from './eval-run.store.js';
export { evalsFeature } from './evals.feature.js';
export { EvalsModule } from './evals.module.js';
export { EvalsSettings } from './evals.settings.js';
export { exportedResult, exportedRun, exportedSample, RestoreRuns } from './transfer/restore-runs.js';
export { EvalAttemptStore } from './eval-result.store.js';
