import { Injectable } from '@nestjs/common';
import { SnapshotContents } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { totalCost } from '../run-resource.js';
import { compareWithBaseline, type RunComparison } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { ReadSamples, type Counting } from './read-samples.js';
import { runStatistics, type RunStatistics } from './run-statistics.js';

/** What is asked of a run. */
export interface Question extends Counting {
  /** Numbers of tries. */
  ks: readonly number[];
  /** Runs of the same dataset. */
  baselines: readonly EvalRunRow[];
  alpha: number;
}

/** What a question without parameters counts (docs/spec/eval-statistics.md). */
export const DEFAULT_QUESTION = { failedAs: 'excluded', clusterBy: null, alpha: 0.05 } as const;

/** What the samples of a run come to. */
export interface Measured {
  statistics: RunStatistics;
  /** By the id of the baseline. */
  comparisons: Map<string, RunComparison>;
}

/** Computes the statistics of a run from its samples, and compares it with others (ADR 0046). */
@Injectable()
export class MeasureRun {
  constructor(
    private readonly samples: ReadSamples,
    private readonly contents: SnapshotContents,
  ) {}

  async execute(scope: Scope, run: EvalRunRow, question: Question, options: LongReadOptions = {}): Promise<Measured> {
    const patient = { ...options, patient: true };
    const distributions = await loadDistributions();
    const samples = await this.samples.execute(scope, run, question, patient);
    const statistics = await runStatistics(samples, question.ks, distributions);
    // The run has the sum to the last digit, which a sum of doubles need not.
    statistics.cost.total = totalCost(run);
    const comparisons = new Map<string, RunComparison>();
    for (const baseline of question.baselines) {
      const { datasetId, datasetVersion } = run;
      const versions = [datasetVersion, baseline.datasetVersion] as const;
      const changed = await this.contents.changed(scope, datasetId, versions, patient);
      const others = await this.samples.execute(scope, baseline, { ...question, clusterBy: null }, patient);
      const against = { baselineRunId: baseline.id, alpha: question.alpha, changed, distributions };
      comparisons.set(baseline.id, await compareWithBaseline(samples, others, against));
    }
    return { statistics, comparisons };
  }
}
