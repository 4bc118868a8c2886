import { Injectable } from '@nestjs/common';
import { ConnectionStore, exportedConnection } from '@spandrel/connections';
import {
  exportedResult,
  exportedRun,
  exportedSample,
  EvalResultStore,
  EvalRunStore,
  EvalSampleStore,
  type EvalResultRow,
  type EvalSampleRow,
} from '@spandrel/evals';
import type { Scope } from '@spandrel/kernel';
import { queueItemJson, QueueListStore } from '@spandrel/queue';
import type { LongReadOptions } from '@spandrel/storage';
import type { ExportedIds } from './seen-ids.js';
import { SLICE, slicesOf, type Slices } from './export-records.js';

/** What is done with datasets, as an export has it: eval runs, the connections they call, and reviews. */
@Injectable()
export class ExportWork {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
    private readonly queue: QueueListStore,
  ) {}

  /** Connections without their keys. */
  async *allConnections(scope: Scope, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.connections.after(scope, after?.id ?? '', SLICE.rows, options);
    for await (const rows of slicesOf(read)) yield rows.values().map((row) => JSON.stringify(exportedConnection(row)));
  }

  /** Runs that were made before the export began: it has the datapoints that those worked on. @param began in ms. */
  async *allRuns(scope: Scope, began: number, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.runs.after(scope, began, after?.id ?? '', SLICE.rows, options);
    for await (const runs of slicesOf(read)) {
      const shown = runs.filter(({ datasetId }) => written.datasets.has(datasetId));
      for (const { id } of shown) written.runs.add(id);
      yield shown.values().map((run) => JSON.stringify(exportedRun(run)));
    }
  }

  async *allResults(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: EvalResultRow) => this.results.after(scope, after, SLICE.rows, options);
    for await (const results of slicesOf(read)) {
      const shown = results.filter(({ runId }) => written.runs.has(runId));
      yield shown.values().map((result) => JSON.stringify(exportedResult(result)));
    }
  }

  /** Samples of runs that try each datapoint several times, run by run. */
  async *allSamples(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: string) => this.samples.findRunsAfter(scope, after, SLICE.rows, options);
    for await (const runs of slicesOf(read)) {
      for (const runId of runs) if (written.runs.has(runId)) yield* this.samplesOf(scope, runId, options);
    }
  }

  private async *samplesOf(scope: Scope, runId: string, options: LongReadOptions): Slices {
    const read = (after?: EvalSampleRow) => this.samples.after(scope, runId, after, SLICE.rows, options);
    for await (const samples of slicesOf(read))
      yield samples.values().map((sample) => JSON.stringify(exportedSample(sample)));
  }

  async *allQueueItems(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.queue.after(scope, after?.id ?? '', SLICE.rows, options);
    for await (const items of slicesOf(read)) {
      const shown = items.filter(({ datapointId }) => written.datapoints.has(datapointId));
      yield shown.values().map(queueItemJson);
    }
  }
}
