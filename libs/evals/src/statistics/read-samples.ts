import { Injectable } from '@nestjs/common';
import type { FailedAs } from '@spandrel/contract';
import { SnapshotContents } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { scorersOf } from '../run-plan.js';
import { RESULT_STATUS } from '../status.js';
import { clusterKey } from './clusters.js';
import { RunSamples, type DatapointMeasures, type SampleMeasures } from './run-samples.js';
import { SampleScoresStore, type SampleScoresRow } from './sample-scores.store.js';
import { scoresSaid } from './said-scores.sql.js';

/** How samples are counted. */
export interface Counting {
  failedAs: FailedAs;
  /** A member of the datapoints' `metadata`; `null`: each is a cluster of its own. */
  clusterBy: string | null;
}

/** Reduces the samples of a run to what its statistics need, slice by slice beside the requests. */
@Injectable()
export class ReadSamples {
  constructor(
    private readonly samples: SampleScoresStore,
    private readonly contents: SnapshotContents,
  ) {}

  /** The processed samples of a run, in the order of the dataset. A run that goes on has those that are there. */
  async execute(
    scope: Scope,
    run: EvalRunRow,
    { failedAs, clusterBy }: Counting,
    options: LongReadOptions,
  ): Promise<RunSamples> {
    const scorers = scorersOf(run);
    const taken = new RunSamples({
      capacity: run.total,
      passScore: run.passScore,
      scorers: scorers.map(({ name, pass_score: passScore }) => ({ name, passScore })),
      failedAs,
      clustered: clusterBy !== null,
    });
    const names = scorers.map(({ name }) => name);
    for await (const datapoints of this.datapoints(scope, run, names, options)) {
      if (clusterBy !== null) await this.addClusters(scope, run, datapoints, clusterBy, options);
      for (const datapoint of datapoints) taken.add(datapoint);
    }
    return taken;
  }

  /** Whole datapoints: one whose samples lie in two slices comes with the second. */
  private async *datapoints(
    scope: Scope,
    run: EvalRunRow,
    names: readonly string[],
    options: LongReadOptions,
  ): AsyncGenerator<DatapointMeasures[], void, undefined> {
    let open: { id: string; samples: SampleMeasures[] } | undefined;
    for await (const rows of this.samples.slices(scope, run, options)) {
      const whole: DatapointMeasures[] = [];
      for (const row of rows) {
        const sample = measuresOf(row, names);
        if (open?.id === row.datapointId) {
          open.samples.push(sample);
          continue;
        }
        if (open) whole.push(open);
        // Not an empty array that grows: it would have room for 17 samples, where most runs have one.
        open = { id: row.datapointId, samples: [sample] };
      }
      yield whole;
    }
    if (open) yield [open];
  }

  private async addClusters(
    scope: Scope,
    { datasetId, datasetVersion: version }: EvalRunRow,
    datapoints: DatapointMeasures[],
    member: string,
    options: LongReadOptions,
  ): Promise<void> {
    const ids = datapoints.map(({ id }) => id);
    const metadata = await this.contents.metadata(scope, { datasetId, version }, ids, options);
    for (const datapoint of datapoints) datapoint.cluster = clusterKey(metadata.get(datapoint.id), member);
  }
}

/** @param scorers names, in the order of the run. */
export function measuresOf(row: SampleScoresRow, scorers: readonly string[]): SampleMeasures {
  const { status, score, said, latencyMs, cost } = row;
  const failed = status === RESULT_STATUS.failed;
  return {
    failed,
    score,
    scores: said === null ? scoresOfColumns(score, scorers) : scoresSaid(said, scorers),
    latencyMs,
    cost,
  };
}

/** Where a row has no scores by name, its own is that of the only scorer; of several none has said anything. */
const scoresOfColumns = (score: number | null, { length }: readonly string[]): (number | null)[] =>
  length === 1 ? [score] : [];
