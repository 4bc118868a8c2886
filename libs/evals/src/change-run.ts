import { Injectable, Inject } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type { EvalRunSummary, EventPayload, RetryEval } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import { Invalid, projectScope, type Scope, Conflict, invalidRequest } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { addCost, subtractCost, type CostSum } from '@spandrel/tracing';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalMetrics } from './eval-metrics.js';
import { EvalRunStore, type RunKey } from './eval-run.store.js';
import { RunParticipants } from './run-participants.js';
import {
  evalRunNotFound,
  breakOff,
  cancelRun,
  isDue,
  runSummary,
  EXECUTION,
  RUN_STATUS,
  runStatusName,
  readGates,
} from './eval-run.js';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import { EvalAttemptStore } from './eval-result.store.js';
import type { SampleKey } from './eval-item.js';
import { AddSamples, decideByCap } from './execution/add-samples.js';

/** The process that owns a run, and until when (milliseconds since the epoch) unless it renews the lease. */
export interface Lease {
  owner: string;
  until: number;
}

type Begun = { run: EvalRunRow; wasRunning: boolean } | { busyUntil: number } | undefined;

/**
 * Moves of a run as a whole, each with its event in the same transaction (docs/spec/evaluations.md#states-of-a-run).
 */
@Injectable()
export class ChangeRun {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly events: DomainEvents,
    private readonly metrics: EvalMetrics,
    private readonly audit: AuditTrail,
    private readonly participants: RunParticipants,
  ) {}

  /**
   * Takes a run for a process. pending → running, once. Samples that an earlier process was calling are pending again.
   * @returns the run, and whether an earlier process had begun it; until when it is another's, or not to be taken; `undefined`: it is gone or
   *   finished, or an external one that waits for its caller.
   */
  async begin(key: RunKey, { owner, until }: Lease, now: number): Promise<Begun> {
    let wasRunning = false;
    const run = await this.change(key, (found, emit) => {
      const isRunning = found.status === RUN_STATUS.running;
      // An external run is taken each time that results of it wait.
      wasRunning = isRunning && (found.execution === EXECUTION.server || found.leaseOwner !== null);
      if (found.status >= RUN_STATUS.completed || !isDue(found) || found.leaseUntil > now) return found;
      const taken = { ...found, leaseOwner: owner, leaseUntil: until };
      if (isRunning) return { ...taken, running: '[]' };
      emit({ type: 'eval_started', run_id: found.id, dataset_id: found.datasetId });
      return { ...taken, status: RUN_STATUS.running, startedAt: found.startedAt ?? now };
    });
    if (!run || run.status >= RUN_STATUS.completed || !isDue(run)) return undefined;
    return run.leaseOwner === owner && run.leaseUntil === until ? { run, wasRunning } : { busyUntil: run.leaseUntil };
  }

  /** Unfinished → failed: the run cannot go on. @param reason holds no secret. */
  async fail(key: RunKey, reason: string, now: number): Promise<void> {
    await this.change(key, (run, emit) => {
      if (run.status >= RUN_STATUS.completed) return run;
      emit({ type: 'eval_failed', run_id: run.id, error: reason });
      return { ...run, ...breakOff(run, RUN_STATUS.failed, now), error: JSON.stringify(reason) };
    });
  }

  /**
   * running → cancelled. Items in flight still finish and are kept.
   * @throws NotFound; Invalid `eval_run_not_running` in any other state.
   */
  async cancel(scope: Scope, id: string, now: number): Promise<EvalRunSummary> {
    const run = await this.change({ projectId: scope.projectId, id }, (found, emit) => {
      if (found.status !== RUN_STATUS.running) {
        throw new Invalid('eval_run_not_running', `the eval run is ${runStatusName(found.status)}, not running`);
      }
      emit({ type: 'eval_cancelled', run_id: id });
      return { ...found, ...cancelRun(found, 'cancelled', now) };
    });
    if (!run) throw evalRunNotFound();
    return runSummary(run);
  }

  /**
   * Unfinished → cancelled, for an external run that waits for its caller, when no result came for `idleMs`. Nothing happens to
   * another one.
   */
  async cancelIdle(key: RunKey, idleMs: number, now: number): Promise<void> {
    await this.change(key, (run, emit) => {
      const isIdle = !isDue(run) && (run.resultAt ?? run.createdAt) <= now - idleMs;
      if (run.status >= RUN_STATUS.completed || !isIdle) return run;
      emit({ type: 'eval_cancelled', run_id: run.id });
      return { ...run, ...cancelRun(run, 'idle', now) };
    });
  }

  /** Deletes a run with its results, in whatever state; what is in flight is thrown away. @throws NotFound */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const datasetId = await this.runs.findDatasetId(tx, scope, id);
      if (datasetId === undefined) throw evalRunNotFound();
      // The dataset before the run, as a start and a delete of the dataset lock them.
      await this.snapshots.release(tx, scope, datasetId, async () => {
        const run = await this.runs.getForWrite(tx, scope, id);
        await this.snapshots.deselect(tx, scope, id);
        await this.participants.beforeDelete(tx, scope, id);
        await this.runs.delete(tx, scope, id);
        const details = { dataset_id: datasetId, results_deleted: run.progress };
        this.audit.record(tx, { action: 'eval.deleted', ...scope, targetId: id, targetName: run.name, details });
        return this.runs.versionsOfDataset(tx, scope, datasetId);
      });
    });
  }

  /** Deletes all runs of a dataset that is being deleted; it is locked, so that none is started meanwhile. */
  async deleteAll(tx: WriteTx, scope: Scope, datasetId: string): Promise<void> {
    for (const id of await this.runs.idsForWrite(tx, scope, datasetId)) {
      await this.snapshots.deselect(tx, scope, id);
      await this.participants.beforeDelete(tx, scope, id);
      await this.runs.delete(tx, scope, id);
    }
  }

  /** @returns the run as it is afterwards, `undefined` when there is none. */
  private change(
    { projectId, id }: RunKey,
    decide: (run: EvalRunRow, emit: (event: EventPayload) => void) => EvalRunRow,
  ): Promise<EvalRunRow | undefined> {
    const scope = projectScope(projectId);
    return this.storage.write(async (tx) => {
      const [run] = await this.runs.findForWrite(tx, scope, [id]);
      if (!run) return undefined;
      const events: EventPayload[] = [];
      const changed = decide(run, (event) => events.push(event));
      if (changed !== run) await this.runs.update(tx, changed);
      await this.events.emit(tx, scope, ...events);
      tx.end.afterCommit(() => this.metrics.countOutcomes(events));
      return changed;
    });
  }
}

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
      const found = await this.runs.getForWrite(tx, scope, id);
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
    ...{ scoreSe: null, scoreCi: null, measures: null, closedAt: null },
    ...(run.execution === EXECUTION.external && { resultAt: Date.now() }),
    gates: gates.length === 0 ? null : JSON.stringify(gates),
  };
}
