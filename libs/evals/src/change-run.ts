import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type { EvalRunSummary, EventPayload } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import { Invalid, projectScope, type Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalMetrics } from './eval-metrics.js';
import { EvalRunStore, type RunKey } from './eval-run.store.js';
import {
  evalRunNotFound,
  breakOff,
  cancelRun,
  isDue,
  runSummary,
  EXECUTION,
  RUN_STATUS,
  runStatusName,
} from './eval-run.js';

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
        const [run] = await this.runs.findForWrite(tx, scope, [id]);
        if (!run) throw evalRunNotFound();
        await this.snapshots.deselect(tx, scope, id);
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
