import { Injectable } from '@nestjs/common';
import type { EventPayload } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { projectScope } from '@spandrel/kernel';
import { Storage, toJsonText } from '@spandrel/storage';
import { EvalMetrics } from './eval-metrics.js';
import { EvalResultStore } from './eval-result.store.js';
import { EvalRunStore, type RunKey } from './eval-run.store.js';
import { whyAllFailed } from './execution/why-all-failed.js';
import { endOf } from './run-end.js';
import { isThrough } from './run-plan.js';
import { RUN_STATUS } from './status.js';

/** Completes runs. */
@Injectable()
export class FinishRun {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly events: DomainEvents,
    private readonly metrics: EvalMetrics,
  ) {}

  /**
   * running → completed, when all items are processed and the run is the owner's to work on; else nothing happens, so that it may
   * be asked for at any time and again.
   * @param owner `null`: nobody works on the run.
   */
  async execute({ projectId, id }: RunKey, owner: string | null): Promise<void> {
    const scope = projectScope(projectId);
    await this.storage.write(async (tx) => {
      const [run] = await this.runs.findForWrite(tx, scope, [id]);
      if (!run || run.status !== RUN_STATUS.running || run.leaseOwner !== owner || !isThrough(run)) return;
      const haveAllFailed = run.total > 0 && run.failedCount === run.total;
      const error = haveAllFailed
        ? toJsonText(whyAllFailed(run.total, await this.results.errorsForWrite(tx, scope, id)))
        : run.error;
      const completed: EventPayload = { type: 'eval_completed', run_id: id };
      await this.runs.update(tx, { ...run, ...endOf(RUN_STATUS.completed, Date.now()), error });
      await this.events.emit(tx, scope, completed);
      tx.end.afterCommit(() => this.metrics.countOutcomes([completed]));
    });
  }
}
