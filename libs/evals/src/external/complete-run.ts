import { Inject, Injectable } from '@nestjs/common';
import type { EvalRunSummary } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { Invalid, newId, type Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { RUN_DISPATCH, type RunDispatch } from '../dispatch/run-dispatch.js';
import { RUN_TIMING, type RunTiming } from '../dispatch/run-timing.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore } from '../eval-run.store.js';
import { FinishRun } from '../finish-run.js';
import { isThrough } from '../run-plan.js';
import { runSummary } from '../run-resource.js';
import { RUN_STATUS, runStatusName } from '../status.js';
import { assertExternal } from './takes-results.js';

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
      const [run] = await this.runs.findForWrite(tx, scope, [id]);
      assertExternal(run);
      if (run.status === RUN_STATUS.completed) return run;
      if (run.status > RUN_STATUS.completed) {
        const status = runStatusName(run.status);
        throw new Invalid('eval_run_not_running', `the eval run is ${status}, and cannot be completed`);
      }
      const now = Date.now();
      const closed = { ...run, status: RUN_STATUS.running, closedAt: run.closedAt ?? now };
      if (run.status === RUN_STATUS.pending) {
        closed.startedAt = now;
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
