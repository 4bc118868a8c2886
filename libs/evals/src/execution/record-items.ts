import { Injectable } from '@nestjs/common';
import type { EventPayload } from '@spandrel/contract';
import { DatasetSnapshots, type DatapointResult } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import { projectScope, type Scope } from '@spandrel/kernel';
import { Storage, toJsonText, type Applied, type GroupCommit, type Outcome, type WriteTx } from '@spandrel/storage';
import { EvalMetrics } from '../eval-metrics.js';
import { EvalResultStore } from '../eval-result.store.js';
import type { EvalResultRow, EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore, type RunKey } from '../eval-run.store.js';
import type { ItemResult } from './execute-item.js';
import { addResult, resultRow } from './item-rows.js';
import { Permits } from './permits.js';
import { runningItems } from '../run-resource.js';
import { RUN_STATUS } from '../status.js';
import { whyAllFailed } from './why-all-failed.js';

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

/** Rows that a step writes, about. */
const ROWS_PER_STEP = 3;

/** Steps that fill a commit. */
const STEPS_MAX = 64;

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
    private readonly metrics: EvalMetrics,
    calls: Permits,
  ) {
    this.group = storage.groupCommit<ItemStep, StepAnswer>({
      apply: (tx, steps) => this.apply(tx, steps),
      weigh: () => ROWS_PER_STEP,
      // Calls that come back within moments share the commit: one for those of them that came first is not worth its fsync.
      expected: () => Math.min(this.group.waitingJobs + calls.taken, STEPS_MAX),
    });
  }

  /** @returns once the step is durable. @throws Unavailable when the database cannot take it now. */
  execute(step: ItemStep): Promise<StepAnswer> {
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
    const processed = await this.results.processedForWrite(tx, scope, run.id, ids);
    const running = new Set(runningItems(run));
    const rows: EvalResultRow[] = [];
    const events: EventPayload[] = [];
    let now = run;
    for (const { finished, now: at } of steps) {
      if (!finished) continue;
      running.delete(finished.datapointId);
      if (processed.has(finished.datapointId)) continue;
      processed.add(finished.datapointId);
      const row = resultRow(run, finished.datapointId, finished.result);
      rows.push(row);
      now = addResult(now, row);
      events.push({ type: 'eval_progress', run_id: run.id, progress: now.progress, total: now.total });
      if (now.status === RUN_STATUS.running && now.progress === now.total) {
        now = { ...now, status: RUN_STATUS.completed, endedAt: at, leaseOwner: null, leaseUntil: 0 };
        events.push({ type: 'eval_completed', run_id: run.id });
      }
    }
    for (const step of steps) {
      const { next, owner } = step;
      const goesOn = now.status === RUN_STATUS.running && now.leaseOwner === owner;
      const begun = next !== undefined && goesOn && !processed.has(next);
      if (begun) running.add(next);
      outcomes.set(step, { answer: { begun } });
    }
    await this.results.insert(tx, rows);
    const error = await this.errorOf(tx, scope, now);
    await this.runs.update(tx, { ...now, error, running: JSON.stringify([...running]) });
    await this.snapshots.writeResults(tx, scope, run.datasetId, rows.flatMap(resultOfDatapoint));
    await this.events.emit(tx, scope, ...events);
    tx.end.afterCommit(() => {
      this.metrics.countOutcomes(events);
      this.metrics.countResults(rows);
    });
  }

  /** The run's error as its column keeps it: that of a run which is through and whose items all failed says so. */
  private async errorOf(tx: WriteTx, scope: Scope, run: EvalRunRow): Promise<string | null> {
    if (run.status !== RUN_STATUS.completed || run.failedCount < run.total) return run.error;
    return toJsonText(whyAllFailed(run.total, await this.results.errorsForWrite(tx, scope, run.id)));
  }
}

/** What the datapoint itself shows of a result: nothing when there is no output. */
const resultOfDatapoint = ({ datapointId: id, output, score }: EvalResultRow): DatapointResult[] =>
  output === null ? [] : [{ id, output, score, now: Date.now() }];
