import { Injectable } from '@nestjs/common';
import { ConnectionStore, exportedConnection } from '@spandrel/connections';
import { exportedResult, exportedRun, EvalResultStore, EvalRunStore, type EvalResultRow } from '@spandrel/evals';
import type { Scope } from '@spandrel/kernel';
import { queueItemResource, QueueListStore } from '@spandrel/queue';
import type { LongReadOptions } from '@spandrel/storage';
import type { ExportedIds } from './exported-ids.js';
import { SLICE, slicesOf, type Slices } from './slices.js';

/** What is done with datasets, as an export has it: eval runs, the connections they call, and reviews. */
@Injectable()
export class ExportWork {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly queue: QueueListStore,
  ) {}

  /** Connections without their keys. */
  async *allConnections(scope: Scope, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.connections.after(scope, after?.id ?? '', SLICE.rows, options);
    for await (const rows of slicesOf(read)) yield rows.map((row) => JSON.stringify(exportedConnection(row)));
  }

  /** Runs that were made before the export began: it has the datapoints that those worked on. @param began in ms. */
  async *allRuns(scope: Scope, began: number, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.runs.after(scope, began, after?.id ?? '', SLICE.rows, options);
    for await (const runs of slicesOf(read)) {
      const shown = runs.filter(({ datasetId }) => written.datasets.has(datasetId));
      for (const { id } of shown) written.runs.add(id);
      yield shown.map((run) => JSON.stringify(exportedRun(run)));
    }
  }

  async *allResults(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: EvalResultRow) => this.results.after(scope, after, SLICE.rows, options);
    for await (const results of slicesOf(read)) {
      const shown = results.filter(({ runId }) => written.runs.has(runId));
      yield shown.map((result) => JSON.stringify(exportedResult(result)));
    }
  }

  async *allQueueItems(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.queue.after(scope, after?.id ?? '', SLICE.rows, options);
    for await (const items of slicesOf(read)) {
      const shown = items.filter(({ datapointId }) => written.datapoints.has(datapointId));
      yield shown.map((item) => JSON.stringify(queueItemResource(item)));
    }
  }
}
