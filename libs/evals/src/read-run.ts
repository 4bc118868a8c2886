import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DatasetSnapshots, type SnapshotDatapoint } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { EvalResultStore } from './eval-result.store.js';
import type { EvalResultRow, EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore } from './eval-run.store.js';
import { evalRunNotFound } from './not-found.js';
import { resultItem, runningItems, runSummary } from './run-resource.js';

/** Items read in one go. */
const SLICE = 500;

/** Longest that an item of a run that was cancelled goes on: its call, the judge's, each with a retry. */
const IN_FLIGHT_MS_MAX = 300_000;

/** Items of a run that is over and whose process is gone are called by nobody. */
const mayStillRun = (run: EvalRunRow): boolean => run.endedAt === null || Date.now() - run.endedAt < IN_FLIGHT_MS_MAX;

interface Slice {
  datapoints: SnapshotDatapoint[];
  results: Map<string, EvalResultRow>;
}

/** `GET /api/eval/:run_id`: the run and all of its items, pending ones too. */
@Injectable()
export class ReadRun {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /**
   * @returns the JSON of the run, its items read and written slice by slice, so that a run of any size is shown whole
   *   in bounded memory.
   * @throws NotFound, and what reading the first slice throws, before anything is written.
   */
  async read(scope: Scope, id: string, options: LongReadOptions = {}): Promise<Readable> {
    const run = await this.runs.find(scope, id);
    if (!run) throw evalRunNotFound();
    const first = await this.slice(scope, run, '', options);
    return Readable.from(this.write(scope, run, first, options), { objectMode: false });
  }

  private async *write(scope: Scope, run: EvalRunRow, first: Slice, options: LongReadOptions): AsyncGenerator<string> {
    const running = new Set(mayStillRun(run) ? runningItems(run) : []);
    let head = `${JSON.stringify(runSummary(run)).slice(0, -1)},"result_items":[`;
    for (let slice = first; slice.datapoints.length > 0;) {
      const items = slice.datapoints.map((datapoint) =>
        resultItem(datapoint, slice.results.get(datapoint.id), running.has(datapoint.id)),
      );
      yield head + items.map((item) => JSON.stringify(item)).join(',');
      head = ',';
      slice = await this.slice(scope, run, slice.datapoints.at(-1)!.id, options);
    }
    yield head === ',' ? ']}' : `${head}]}`;
  }

  private async slice(scope: Scope, run: EvalRunRow, after: string, options: LongReadOptions): Promise<Slice> {
    const snapshot = { datasetId: run.datasetId, version: run.datasetVersion };
    const datapoints = await this.snapshots.after(scope, snapshot, after, SLICE, options);
    const ids = datapoints.map(({ id }) => id);
    const { results, read } = await this.results.some(scope, run.id, ids, options);
    return { datapoints: datapoints.slice(0, read), results };
  }
}
