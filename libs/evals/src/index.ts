export { EvalResultStore } from './eval-result.store.js';
export {
  evalAttemptTable,
  evalResultTable,
  evalSampleTable,
  type EvalResultRow,
  type EvalRunRow,
} from './eval-run.entity.js';
export { EvalRunStore } from './eval-run.store.js';
export { evalsFeature } from './evals.feature.js';
export { EvalsModule } from './evals.module.js';
export { EvalsSettings } from './evals.settings.js';
export { exportedAttempt, exportedResult, exportedRun, exportedSample, RestoreRuns } from './transfer/restore-runs.js';
