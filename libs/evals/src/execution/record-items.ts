import { Injectable } from '@nestjs/common';
import type { EventPayload } from '@spandrel/contract';
import { DatasetSnapshots, type DatapointResult } from '@spandrel/datasets';
import { DomainEvents, type WireEvent } from '@spandrel/events';
import { projectScope, type Scope } from '@spandrel/kernel';
import {
  Storage,
  together,
  toJsonText,
  type Applied,
  type GroupCommit,
  type Outcome,
  type WriteTx,
} from '@spandrel/storage';
import { EvalMetrics } from '../eval-metrics.js';
import { EvalResultStore } from '../eval-result.store.js';
import type { EvalResultRow, EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore, type RunKey } from '../eval-run.store.js';
import type { ItemResult } from './execute-item.js';
import { addResult, resultRow } from './item-rows.js';
import { Permits } from './permits.js';
import { runningSamples, runningText } from '../running-items.js';
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
      // Asked for together, done in this order: what is processed is read once the runs are locked.
      const locking = this.runs.findForWrite(tx, scope, [...byRun.keys()]);
      const reading = [...byRun].map(async ([id, ofRun]) => {
        return [id, await this.results.processedForWrite(tx, scope, id, datapointsOf(ofRun))] as const;
      });
      await together(locking, ...reading);
      const processed = new Map(await Promise.all(reading));
      for (const run of await locking) {
        await this.applyToRun(tx, scope, run, byRun.get(run.id)!, processed.get(run.id)!, outcomes);
      }
    }
    // A run that is gone has nothing to record.
    return { outcomes: steps.map((step) => outcomes.get(step) ?? { answer: { begun: false } }) };
  }

  private async applyToRun(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    steps: readonly ItemStep[],
    processed: Set<string>,
    outcomes: Map<ItemStep, Outcome<StepAnswer>>,
  ): Promise<void> {
    const running = new Set(runningSamples(run).map(({ datapointId }) => datapointId));
    const now = { ...run };
    const rows: EvalResultRow[] = [];
    const results: DatapointResult[] = [];
    const events: WireEvent[] = [];
    const progressOf = progressEvents(run);
    for (const { finished, now: at } of steps) {
      if (!finished) continue;
      running.delete(finished.datapointId);
      if (processed.has(finished.datapointId)) continue;
      processed.add(finished.datapointId);
      const row = resultRow(run, finished.datapointId, finished.result);
      rows.push(row);
      // A datapoint shows nothing of a result without output.
      if (row.output !== null) results.push({ id: row.datapointId, output: row.output, score: row.score, now: at });
      addResult(now, row);
      events.push(progressOf(now.progress));
      if (now.status === RUN_STATUS.running && now.progress === now.total) {
        Object.assign(now, { status: RUN_STATUS.completed, endedAt: at, leaseOwner: null, leaseUntil: 0 });
        events.push(completed(run));
      }
    }
    const goesOn = now.status === RUN_STATUS.running;
    for (const step of steps) {
      const { next, owner } = step;
      const begun = next !== undefined && goesOn && now.leaseOwner === owner && !processed.has(next);
      if (begun) running.add(next);
      outcomes.set(step, { answer: { begun } });
    }
    now.running = runningText(Array.from(running, (datapointId) => ({ datapointId, repeat: 0 })));
    const inserting = this.results.insert(tx, rows);
    if (now.status === RUN_STATUS.completed && now.failedCount === now.total) {
      await inserting;
      now.error = toJsonText(whyAllFailed(run.total, await this.results.errorsForWrite(tx, scope, run.id)));
    }
    await together(
      inserting,
      goesOn ? this.runs.updateProgress(tx, now) : this.runs.update(tx, now),
      this.snapshots.writeResults(tx, scope, run.datasetId, results),
      this.events.emitWire(tx, scope, events),
    );
    tx.end.afterCommit(() => {
      this.metrics.countOutcomes(events);
      this.metrics.countResults(rows);
    });
  }
}

/** The datapoints that steps finish or begin. */
function datapointsOf(steps: readonly ItemStep[]): string[] {
  const ids: string[] = [];
  for (const { finished, next } of steps) {
    if (finished) ids.push(finished.datapointId);
    if (next !== undefined) ids.push(next);
  }
  return ids;
}

/** The events of a run's progress, of which only the progress differs: each as JSON, as the stream has it. */
function progressEvents({ id, total }: EvalRunRow): (progress: number) => WireEvent {
  const runId = JSON.stringify(id);
  return (progress) => ({
    type: 'eval_progress',
    json: `{"type":"eval_progress","run_id":${runId},"progress":${progress},"total":${total}}`,
  });
}

const completed = ({ id }: EvalRunRow): WireEvent => ({
  type: 'eval_completed',
  json: JSON.stringify({ type: 'eval_completed', run_id: id } satisfies EventPayload),
});
