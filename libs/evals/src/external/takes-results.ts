import { Conflict, Invalid } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import { evalRunNotFound } from '../not-found.js';
import { isThrough } from '../run-plan.js';
import { EXECUTION, RUN_STATUS, runStatusName } from '../status.js';

/** @throws NotFound where there is no run; Conflict `eval_run_not_external` for one that the server executes. */
export function assertExternal(run: EvalRunRow | null | undefined): asserts run is EvalRunRow {
  if (!run) throw evalRunNotFound();
  if (run.execution === EXECUTION.external) return;
  throw new Conflict(
    'eval_run_not_external',
    'the server executes this eval run itself; start one with "execution": "external" to send results',
  );
}

/** @throws as {@link assertExternal}; Invalid `eval_run_not_running` for a run that is over, or about to be. */
export function assertTakesResults(run: EvalRunRow | null | undefined): asserts run is EvalRunRow {
  assertExternal(run);
  const reason = whyNot(run);
  if (reason) throw new Invalid('eval_run_not_running', `the eval run ${reason}; no more results can be added`);
}

function whyNot(run: EvalRunRow): string | undefined {
  if (run.status >= RUN_STATUS.completed) return `is ${runStatusName(run.status)}`;
  if (run.closedAt !== null) return 'was completed by its caller';
  // The statistics of such a run are being made.
  return isThrough(run) ? 'has all of its results' : undefined;
}
