import { Injectable } from '@nestjs/common';
import type { EventPayload } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import { projectScope, type Scope } from '@spandrel/kernel';
import { Storage, type Applied, type GroupCommit, type Outcome, type WriteTx } from '@spandrel/storage';
import { EvalResultStore } from './eval-result.store.js';
import type { EvalResultRow, EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore, type RunKey } from './eval-run.store.js';
import type { ItemResult } from './execute-item.js';
import { addResult, runningRow, resultRow } from './item-rows.js';
import { isProcessed, RESULT_STATUS, RUN_STATUS } from './status.js';

/** One step of a run's slot: an item is done, the next one begins. */
export interface ItemStep {
  run: RunKey;
  /** Who works on the run; only its owner begins items. */
  owner: string;
  finished?: { datapointId: string; result: ItemResult };
  /** The item to begin, when there is one. */
  next?: string;
  now: number;
}

/** Whether the next item may be called. */
export interface StepAnswer {
  begun: boolean;
}

/** Items one transaction takes, about. */
const ROWS_PER_STEP = 3;

/**
 * The one way in which items of runs are written: steps of all runs share commits. An item that is processed stays as it
 * is, progress only grows, and the run completes with its last item, in the same transaction.
 */
@Injectable()
export class RecordItems {
  private readonly group: GroupCommit<ItemStep, StepAnswer>;

  constructor(
    storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly events: DomainEvents,
  ) {
    this.group = storage.groupCommit<ItemStep, StepAnswer>({
      apply: (tx, steps) => this.apply(tx, steps),
      weigh: () => ROWS_PER_STEP,
    });
  }

  /** @returns once the step is durable. @throws Unavailable when the database cannot take it now. */
  step(step: ItemStep): Promise<StepAnswer> {
    return this.group.submit(step);
  }

  private async apply(tx: WriteTx, steps: readonly ItemStep[]): Promise<Applied<StepAnswer>> {
    const outcomes = new Map<ItemStep, Outcome<StepAnswer>>();
    for (const [projectId, ofProject] of Map.groupBy(steps, ({ run }) => run.projectId)) {
      const scope = projectScope(projectId);
      const byRun = Map.groupBy(ofProject, ({ run }) => run.id);
      const runs = await this.runs.findForWrite(tx, scope, [...byRun.keys()]);
      for (const run of runs) await this.applyToRun(tx, scope, run, byRun.get(run.id)!, outcomes);
    }
    // A run that is gone has nothing to record.
    return { outcomes: steps.map((step) => outcomes.get(step) ?? { answer: { begun: false } }) };
  }

  private async applyToRun(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    steps: readonly ItemStep[],
    outcomes: Map<ItemStep, Outcome<StepAnswer>>,
  ): Promise<void> {
    const touched = steps.flatMap(({ finished, next }) => [finished?.datapointId, next]);
    const ids = touched.filter((id) => id !== undefined);
    const statuses = await this.results.statuses(tx, scope, run.id, ids);
    const known = new Set(statuses.keys());
    const rows = new Map<string, EvalResultRow>();
    const events: EventPayload[] = [];
    let now = run;
    for (const { finished, now: at } of steps) {
      if (!finished || isProcessed(statuses.get(finished.datapointId) ?? RESULT_STATUS.pending)) continue;
      const row = resultRow(run, finished.datapointId, finished.result);
      rows.set(row.datapointId, row);
      statuses.set(row.datapointId, row.status);
      now = addResult(now, row);
      events.push({ type: 'eval_progress', run_id: run.id, progress: now.progress, total: now.total });
      if (now.status === RUN_STATUS.running && now.progress === now.total) {
        now = { ...now, status: RUN_STATUS.completed, endedAt: at, leaseOwner: null, leaseUntil: 0 };
        events.push({ type: 'eval_completed', run_id: run.id });
      }
    }
    for (const step of steps) {
      const { next, owner } = step;
      const begun =
        next !== undefined &&
        now.status === RUN_STATUS.running &&
        now.leaseOwner === owner &&
        !isProcessed(statuses.get(next) ?? RESULT_STATUS.pending);
      if (begun && !known.has(next)) rows.set(next, runningRow(run, next));
      outcomes.set(step, { answer: { begun } });
    }
    await this.save(tx, scope, run, now, [...rows.values()], known);
    await this.events.emit(tx, scope, ...events);
  }

  private async save(
    tx: WriteTx,
    scope: Scope,
    before: EvalRunRow,
    now: EvalRunRow,
    rows: readonly EvalResultRow[],
    known: ReadonlySet<string>,
  ): Promise<void> {
    const isKnown = (row: EvalResultRow): boolean => known.has(row.datapointId);
    await this.results.save(
      tx,
      rows.filter((row) => !isKnown(row)),
      rows.filter(isKnown),
    );
    if (now !== before) await this.runs.update(tx, now);
    const outputs = rows.flatMap(({ datapointId: id, output, score }) =>
      output === null ? [] : [{ id, output, score }],
    );
    await this.snapshots.writeResults(
      tx,
      scope,
      now.datasetId,
      outputs.map((result) => ({ ...result, now: Date.now() })),
    );
  }
}
