import { Inject, Injectable } from '@nestjs/common';
import type { EvalRunSummary } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { BackgroundTasks, Conflict, Invalid, newId, type Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ChangeRun } from '../change-run.js';
import { RUN_DISPATCH, RUN_TIMING, type RunDispatch, type RunTiming } from '../dispatch/run-dispatch.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore } from '../eval-run.store.js';
import { EvalsSettings } from '../evals.settings.js';
import { FinishRun } from '../finish-run.js';
import { isThrough, runSummary, EXECUTION, RUN_STATUS, runStatusName } from '../eval-run.js';

/** @throws Conflict `eval_run_not_external` for a run that the server executes. */
function assertExternal(run: EvalRunRow): void {
  if (run.execution === EXECUTION.external) return;
  throw new Conflict(
    'eval_run_not_external',
    'the server executes this eval run itself; start one with "execution": "external" to send results',
  );
}

/** @throws as {@link assertExternal}; Invalid `eval_run_not_running` for a run that is over, or about to be. */
export function assertTakesResults(run: EvalRunRow): void {
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

/** `POST /api/eval/:run_id/complete` (docs/spec/external-runs.md#completing-a-run). */
@Injectable()
export class CompleteRun {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly finish: FinishRun,
    private readonly events: DomainEvents,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
    @Inject(RUN_TIMING) private readonly timing: RunTiming,
  ) {}

  /**
   * Takes no more results: pending or running → completed, once the server's scorers have seen all that came.
   * @returns the run: completed, or still running where they have not. One that is completed stays as it is.
   * @throws NotFound; Conflict for a run of the server; Invalid for one that is cancelled or has failed.
   */
  async execute(scope: Scope, id: string): Promise<EvalRunSummary> {
    const owner = newId();
    const run = await this.close(scope, id, owner);
    if (run.leaseOwner !== owner) return runSummary(run);
    // Where this fails, or the process ends, the run is taken up when its lease has run out.
    await this.finish.execute(run, owner);
    return runSummary((await this.runs.find(scope, id)) ?? run);
  }

  /** @returns the run, which is the owner's where it can be completed at once. */
  private close(scope: Scope, id: string, owner: string): Promise<EvalRunRow> {
    return this.storage.write(async (tx) => {
      const run = await this.runs.getForWrite(tx, scope, id);
      assertExternal(run);
      if (run.status === RUN_STATUS.completed) return run;
      if (run.status > RUN_STATUS.completed) {
        const status = runStatusName(run.status);
        throw new Invalid('eval_run_not_running', `the eval run is ${status}, and cannot be completed`);
      }
      const now = Date.now();
      const closed = { ...run, status: RUN_STATUS.running, closedAt: run.closedAt ?? now };
      if (run.status === RUN_STATUS.pending) {
        closed.startedAt = run.startedAt ?? now;
        await this.events.emit(tx, scope, { type: 'eval_started', run_id: id, dataset_id: run.datasetId });
      }
      if (isThrough(closed) && run.leaseUntil <= now) {
        Object.assign(closed, { leaseOwner: owner, leaseUntil: now + this.timing.leaseMs });
      } else {
        await this.dispatch.enqueue(tx, { projectId: run.projectId, id: run.id, orgId: scope.orgId });
      }
      await this.runs.update(tx, closed);
      return closed;
    });
  }
}

/** How often idle runs are looked for, at the longest. */
const EVERY_MS_MAX = 60_000;

/** Cancels external runs whose callers have sent nothing for `evals.external_idle` (docs/spec/external-runs.md#idle-runs). */
@Injectable()
export class CancelIdleRuns {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly change: ChangeRun,
    private readonly settings: EvalsSettings,
    tasks: BackgroundTasks,
  ) {
    // The runs of a restored copy are not to be ended by it.
    if (settings.paused) return;
    tasks.add({
      everyMs: Math.min(EVERY_MS_MAX, settings.externalIdleMs / 2),
      task: () => this.execute(Date.now()),
      failure: 'idle eval runs cannot be looked for now',
    });
  }

  /**
   * Cancels the runs that are idle at a time, in ms. Servers that find the same one cancel it once: how it is found is looked at
   * again where it is locked.
   */
  async execute(now: number): Promise<void> {
    const { externalIdleMs } = this.settings;
    for (const run of await this.runs.idle(now - externalIdleMs)) {
      await this.change.cancelIdle(run, externalIdleMs, now);
    }
  }
}
