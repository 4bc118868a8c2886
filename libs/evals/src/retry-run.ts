import { Inject, Injectable } from '@nestjs/common';
import type { EvalRunSummary, RetryEval } from '@spandrel/contract';
import { Conflict, Invalid, invalidRequest, type Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { addCost, subtractCost, type CostSum } from '@spandrel/tracing';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import { EvalAttemptStore } from './eval-attempt.store.js';
import type { SampleKey } from './eval-item.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { evalRunNotFound, isDue, readGates, runStatusName, runSummary, EXECUTION, RUN_STATUS } from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { AddSamples } from './execution/add-samples.js';
import { decideByCap } from './execution/record-items.js';

/** Samples that are taken out in one go. */
const SLICE = 500;

/** Has a run that is over go on with some of its samples (docs/spec/evaluations.md#trying-again). */
@Injectable()
export class RetryRun {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly attempts: EvalAttemptStore,
    private readonly samples: AddSamples,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
  ) {}

  /**
   * Any state in which a run is over → pending, with the samples as pending ones that are to be tried again; what had become of them
   * is kept.
   * @returns the run.
   * @throws NotFound; Conflict `eval_run_not_over`; Invalid `nothing_to_retry`, and for a cap that lets no sample begin.
   */
  async execute(scope: Scope, id: string, { what, max_cost_usd: cap }: RetryEval): Promise<EvalRunSummary> {
    const run = await this.storage.write(async (tx) => {
      const [found] = await this.runs.findForWrite(tx, scope, [id]);
      if (!found) throw evalRunNotFound();
      if (found.status < RUN_STATUS.completed) {
        const status = runStatusName(found.status);
        throw new Conflict('eval_run_not_over', `the eval run is ${status}; wait for its end, or cancel it`);
      }
      if (typeof cap === 'number' && found.costCap === null) throw capFault('is for runs that were started with one');
      const again = { ...found, ...reopen(found), ...(cap !== undefined && { costCap: cap }) };
      if (what !== 'pending') await this.takeOut(tx, scope, again, what);
      if (what === 'pending' ? again.progress >= again.total : again.retriedSamples === found.retriedSamples) {
        throw new Invalid('nothing_to_retry', `no sample of the eval run is ${what}`);
      }
      if (decideByCap(again, 0) === 'stop') throw capFault('lets no more samples begin; send a higher one, or null');
      await this.runs.update(tx, again);
      if (isDue(again)) await this.dispatch.enqueue(tx, { projectId: again.projectId, id, orgId: scope.orgId });
      return again;
    });
    return runSummary(run);
  }

  /** @param run the caller's copy, which is changed. */
  private async takeOut(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    what: Exclude<RetryEval['what'], 'pending'>,
  ): Promise<void> {
    const now = Date.now();
    // The caller of an external run sends such a result again.
    const isKept = what === 'unscored' && run.execution === EXECUTION.server;
    for (let after: SampleKey = { datapointId: '', repeat: 0 }; ;) {
      const wanted = await this.attempts.findWanted(tx, scope, run, what, after, SLICE);
      const last = wanted.at(-1);
      if (!last) return;
      after = last;
      const before = { ...run };
      await this.attempts.keep(tx, scope, run, wanted, { isKept, now });
      await this.samples.takeOut(tx, scope, run, wanted);
      run.retriedSamples += wanted.length;
      const cost = subtractCost(spentOf(before, isKept), spentOf(run, isKept));
      const { usd, pico } = addCost({ usd: run.retriedUsd, pico: run.retriedPico }, cost);
      Object.assign(run, { retriedUsd: usd, retriedPico: pico });
    }
  }
}

const capFault = (message: string): Invalid => invalidRequest([{ path: 'max_cost_usd', message }]);

/** What a run cost. @param isKept whether its outputs are kept, so that what these cost counts on. */
function spentOf({ costUsd, costPico, judgeCostUsd, judgeCostPico }: EvalRunRow, isKept: boolean): CostSum {
  const ofJudges = { usd: judgeCostUsd, pico: judgeCostPico };
  return isKept ? ofJudges : addCost(ofJudges, { usd: costUsd, pico: costPico });
}

/** What a run that goes on again has no more: all that its end brought. */
function reopen(run: EvalRunRow): Partial<EvalRunRow> {
  const gates = readGates(run).map((gate) => ({ ...gate, actual: null, passed: null }));
  return {
    ...{ status: RUN_STATUS.pending, endedAt: null, passed: null, stopReason: null, error: null },
    ...{ scoreSe: null, scoreCi: null, closedAt: null },
    ...(run.execution === EXECUTION.external && { resultAt: Date.now() }),
    gates: gates.length === 0 ? null : JSON.stringify(gates),
  };
}
