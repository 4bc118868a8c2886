import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { jsonTextInPieces, type EvalRunResource } from '@spandrel/contract';
import { DatasetSnapshots, type SnapshotDatapoint } from '@spandrel/datasets';
import { itemTexts, streamSlices } from '@spandrel/http';
import { inTurns, type Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { EvalResultStore } from './eval-result.store.js';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from './eval-run.entity.js';
import { EvalSampleStore } from './eval-sample.store.js';
import { EvalRunStore } from './eval-run.store.js';
import { SubmissionStore } from './external/submission.store.js';
import { evalRunNotFound } from './not-found.js';
import { ItemView } from './item-resource.js';
import { runSummary } from './run-resource.js';

/** Items read in one go. */
const SLICE = 500;

interface Slice {
  datapoints: SnapshotDatapoint[];
  results: Map<string, EvalResultRow>;
  samples: Map<string, EvalSampleRow[]>;
}

/** `GET /api/eval/:run_id`: the run and all of its items, pending ones too (docs/spec/evaluations.md#result-items). */
@Injectable()
export class ReadRun {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly sampleRows: EvalSampleStore,
    private readonly submissions: SubmissionStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /** The run without its items. @throws NotFound. */
  async summary(scope: Scope, id: string): Promise<EvalRunResource> {
    return { ...runSummary(await this.find(scope, id)), result_items: [] };
  }

  /**
   * @returns the JSON of the run, its items read and written slice by slice, so that a run of any size is shown whole
   *   in bounded memory.
   * @throws NotFound, and what reading the first slice throws, before anything is written.
   */
  async execute(scope: Scope, id: string, options: LongReadOptions = {}): Promise<Readable> {
    const run = await this.find(scope, id);
    return streamSlices(this.slices(scope, run, options), {
      head: `${JSON.stringify(runSummary(run)).slice(0, -1)},"result_items":[`,
      between: ',',
      tail: () => ']}',
    });
  }

  private async find(scope: Scope, id: string): Promise<EvalRunRow> {
    const run = await this.runs.find(scope, id);
    if (!run) throw evalRunNotFound();
    return run;
  }

  private async *slices(scope: Scope, run: EvalRunRow, options: LongReadOptions): AsyncGenerator<Iterable<string>> {
    const view = new ItemView(run);
    for (let after = ''; ;) {
      const { datapoints, results, samples } = await this.slice(scope, run, after, options);
      const last = datapoints.at(-1);
      if (!last) return;
      const ids = datapoints.map(({ id }) => id);
      view.addWaiting(await this.submissions.among(scope, run, ids, options));
      const items: string[] = [];
      for (const datapoint of datapoints) {
        const item = view.item(datapoint, results.get(datapoint.id), samples.get(datapoint.id) ?? []);
        items.push(await inTurns(jsonTextInPieces(item)));
      }
      yield itemTexts(items, (index) => (index === 0 ? '' : ','));
      after = last.id;
    }
  }

  private async slice(scope: Scope, run: EvalRunRow, after: string, options: LongReadOptions): Promise<Slice> {
    const snapshot = { datasetId: run.datasetId, version: run.datasetVersion };
    const datapoints = await this.snapshots.after(scope, snapshot, after, SLICE, options);
    const ids = datapoints.map(({ id }) => id);
    const { samples, read: sampled } = await this.sampleRows.some(scope, run, ids, options);
    const { results, read } = await this.results.some(scope, run.id, ids.slice(0, sampled), options);
    return { datapoints: datapoints.slice(0, read), results, samples };
  }
}
