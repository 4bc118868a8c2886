export { AddResults } from './external/add-results.js';
export { CompleteRun } from './external/complete-run.js';
export { SetGates } from './finish-run.js';
export { EvalResultStore } from './eval-result.store.js';
export {
  evalAttemptTable,
  evalResultTable,
  evalSampleTable,
  type EvalResultRow,
  type EvalRunRow,
} from './eval-run.entity.js';
export { readGates, RUN_STATUS } from './eval-run.js';
export { EvalRunStore } from './eval-run.store.js';
export { readInputAndExpected } from './eval-item.js';
export { evalsFeature, EvalsModule } from './evals.module.js';
export { EvalsSettings } from './evals.settings.js';
export { exportedAttempt, exportedResult, exportedRun, exportedSample, RestoreRuns } from './transfer/restore-runs.js';
export { withSystemPrompt } from './prompts/prompt.js';
export { PlanRun, StartRun } from './plan-run.js';
export type { ObservedCall } from './execution/model-call.js';
export { PrepareRun, RunFailure } from './execution/prepare-run.js';
export { RunCalls } from './execution/run-calls.js';
export { NO_SCORE } from './execution/sample-result.js';
export { scoreSample } from './execution/score-sample.js';
export { RunParticipants } from './run-participants.js';
