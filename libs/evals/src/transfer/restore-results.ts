import { Injectable } from '@nestjs/common';
import type { RejectedItem, RestoredResult, RestoredSample } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { EvalResultStore } from '../eval-result.store.js';
import { EvalRunStore } from '../eval-run.store.js';
import { EvalSampleStore } from '../eval-sample.store.js';
import { sampleName } from '../running-items.js';
import { RUN_STATUS } from '../status.js';
import { OTHER_RUN, type Reason } from './restore-runs.js';
import { restoredResult, restoredSample } from './restored-rows.js';

/** Brings back what became of the items and samples of runs of an export, behind the runs (docs/spec/transfer.md#the-import). */
@Injectable()
export class RestoreResults {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
  ) {}

  /**
   * Adds the results that runs do not have yet, in one transaction.
   * @param isTaken whether a run is as in the file.
   */
  restoreResults(
    scope: Scope,
    restored: readonly RestoredResult[],
    isTaken: (runId: string) => boolean,
  ): Promise<RejectedItem<RestoredResult>[]> {
    return this.restore(scope, restored, isTaken, (tx, runId, items) => this.addResults(tx, scope, runId, items));
  }

  /** Adds the samples that runs do not have yet, as {@link restoreResults} adds results. */
  restoreSamples(
    scope: Scope,
    restored: readonly RestoredSample[],
    isTaken: (runId: string) => boolean,
  ): Promise<RejectedItem<RestoredSample>[]> {
    return this.restore(scope, restored, isTaken, (tx, runId, items) => this.addSamples(tx, scope, runId, items));
  }

  /** Has those that are of runs from the file added, and rejects the others. */
  private restore<Item extends { run_id: string }>(
    scope: Scope,
    restored: readonly Item[],
    isTaken: (runId: string) => boolean,
    add: (tx: WriteTx, runId: string, items: readonly Item[]) => Promise<void>,
  ): Promise<RejectedItem<Item>[]> {
    const byRun = Map.groupBy(restored, ({ run_id: runId }) => runId);
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<Item>[] = [];
      const runs = await this.runs.findForWrite(tx, scope, [...byRun.keys()].toSorted());
      const here = new Map(runs.map((run) => [run.id, run]));
      for (const [runId, items] of byRun) {
        const run = here.get(runId);
        const isDone = run !== undefined && run.status >= RUN_STATUS.completed;
        const reason = run === undefined ? NO_RUN : isDone && isTaken(runId) ? undefined : OTHER_RUN;
        if (reason) rejected.push(...items.map((item) => ({ item, ...reason })));
        else await add(tx, runId, items);
      }
      return rejected;
    });
  }

  private async addResults(tx: WriteTx, scope: Scope, runId: string, items: readonly RestoredResult[]): Promise<void> {
    const byDatapoint = new Map(items.map((item) => [item.datapoint_id, item]));
    const there = await this.results.processedForWrite(tx, scope, runId, [...byDatapoint.keys()]);
    const missing = [...byDatapoint.values()].filter(({ datapoint_id: id }) => !there.has(id));
    await this.results.insert(
      tx,
      missing.map((item) => restoredResult(scope, item)),
    );
  }

  private async addSamples(tx: WriteTx, scope: Scope, runId: string, items: readonly RestoredSample[]): Promise<void> {
    const rows = new Map(items.map((item) => restoredSample(scope, item)).map((row) => [sampleName(row), row]));
    const datapointIds = new Set(items.map(({ datapoint_id: id }) => id));
    const there = await this.samples.processedForWrite(tx, scope, runId, [...datapointIds]);
    for (const sample of there) rows.delete(sampleName(sample));
    await this.samples.insert(tx, [...rows.values()]);
  }
}

const NO_RUN: Reason = { code: 'eval_run_not_found', message: 'there is no eval run with this run_id' };
