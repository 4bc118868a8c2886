import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  type EvalStatistics,
  type EvalStatisticsQuery,
  type FailedAs,
  type JudgedGate,
  type ScoreStatistics,
} from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { invalidRequest, NotFound, type Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { evalRunNotFound, listScorers, readGates, runSummary, totalCost, RESULT_STATUS } from '../eval-run.js';
import { EvalRunStore } from '../eval-run.store.js';
import { compareWithBaseline, type RunComparison } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { judgeGate, listKs } from './gates.js';
import { clusterKey, RunSamples, type DatapointMeasures, type SampleMeasures } from './run-samples.js';
import { defaultKs, runStatistics, type RunStatistics } from './run-statistics.js';
import { SampleScoresStore, readScores, type SampleScoresRow } from './sample-scores.store.js';

/** How samples are counted. */
export interface Counting {
  failedAs: FailedAs;
  /** A member of the datapoints' `metadata`; `null`: each is a cluster of its own. */
  clusterBy: string | null;
}

/** @param scorers names, in the order of the run. */
export function toMeasures(row: SampleScoresRow, scorers: readonly string[]): SampleMeasures {
  const { status, score, said, latencyMs, cost } = row;
  const failed = status === RESULT_STATUS.failed;
  return {
    failed,
    score,
    // Where a row has no scores by name, its own is that of the only scorer; of several none has said anything.
    scores: said !== null ? readScores(said, scorers) : scorers.length === 1 ? [score] : [],
    latencyMs,
    cost,
  };
}

interface Question extends Counting {
  ks: readonly number[];
  /** Runs of the same dataset. */
  baselines: readonly EvalRunRow[];
  alpha: number;
}

/** What a question without parameters counts (docs/spec/eval-statistics.md). */
const DEFAULT_QUESTION = { failedAs: 'excluded', clusterBy: null, alpha: 0.05 } as const;

interface Measured {
  statistics: RunStatistics;
  comparisons: Map<string, RunComparison>;
}

/**
 * Computes the statistics of a run from its samples, which it reads slice by slice beside the requests, and compares it with
 * others (ADR 0046).
 */
@Injectable()
export class MeasureRun {
  constructor(
    private readonly samples: SampleScoresStore,
    private readonly contents: DatasetSnapshots,
  ) {}

  async execute(scope: Scope, run: EvalRunRow, question: Question, options: LongReadOptions = {}): Promise<Measured> {
    const patient = { ...options, patient: true };
    const distributions = await loadDistributions();
    const samples = await this.readSamples(scope, run, question, patient);
    const statistics = await runStatistics(samples, question.ks, distributions);
    // The run has the sum to the last digit, which a sum of doubles need not.
    statistics.cost.total = totalCost(run);
    const comparisons = new Map<string, RunComparison>();
    for (const baseline of question.baselines) {
      const { datasetId, datasetVersion } = run;
      const versions = [datasetVersion, baseline.datasetVersion] as const;
      const changed = await this.contents.changed(scope, datasetId, versions, patient);
      const others = await this.readSamples(scope, baseline, { ...question, clusterBy: null }, patient);
      const against = { baselineRunId: baseline.id, alpha: question.alpha, changed, distributions };
      comparisons.set(baseline.id, await compareWithBaseline(samples, others, against));
    }
    return { statistics, comparisons };
  }

  /** The processed samples of a run, in the order of the dataset. A run that goes on has those that are there. */
  async readSamples(
    scope: Scope,
    run: EvalRunRow,
    { failedAs, clusterBy }: Counting,
    options: LongReadOptions,
  ): Promise<RunSamples> {
    const scorers = listScorers(run);
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
        const sample = toMeasures(row, names);
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

interface Judgement {
  gates: JudgedGate[];
  score: Pick<ScoreStatistics, 'se' | 'ci'>;
}

/** Puts its gates to a run, by the statistics that a question without parameters gets (docs/spec/eval-gates.md). */
@Injectable()
export class JudgeRun {
  constructor(
    private readonly measures: MeasureRun,
    private readonly runs: EvalRunStore,
  ) {}

  /** @param gates those of the run, or others that it is to have. A baseline that is gone leaves them without a value. */
  async execute(scope: Scope, run: EvalRunRow, gates: readonly JudgedGate[] = readGates(run)): Promise<Judgement> {
    const ids = new Set(gates.flatMap(({ baseline_run_id: id }) => id ?? []));
    const baselines = ids.size === 0 ? [] : await this.runs.findAll(scope, [...ids]);
    const { statistics, comparisons } = await this.measures.execute(scope, run, {
      ...DEFAULT_QUESTION,
      ks: listKs(gates),
      baselines: baselines.filter(({ datasetId }) => datasetId === run.datasetId),
    });
    return {
      gates: gates.map((gate) => judgeGate(gate, statistics, comparisons)),
      score: { se: statistics.score.se, ci: statistics.score.ci },
    };
  }
}

/** `GET /api/eval/:run_id/statistics` (docs/spec/eval-statistics.md). */
@Injectable()
export class ReadStatistics {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly measures: MeasureRun,
  ) {}

  /**
   * The statistics of a run in any state, by the samples that are processed.
   * @throws NotFound for the run or the baseline; Invalid for a baseline of another dataset, and for a `k` over the repeats.
   */
  async execute(
    scope: Scope,
    id: string,
    query: EvalStatisticsQuery,
    options: LongReadOptions = {},
  ): Promise<EvalStatistics> {
    const run = await this.runs.find(scope, id);
    if (!run) throw evalRunNotFound();
    const baseline = query.baseline === undefined ? undefined : await this.baseline(scope, run, query.baseline);
    const question = {
      ks: readKs(query, run),
      failedAs: query.failed_as,
      clusterBy: query.cluster_by ?? null,
      alpha: query.alpha,
      baselines: baseline ? [baseline] : [],
    };
    const { statistics, comparisons } = await this.measures.execute(scope, run, question, options);
    const { score, scorers, latency_ms, cost } = statistics;
    const summary = runSummary(run);
    return {
      run_id: run.id,
      status: summary.status,
      repeats: run.repeats,
      datapoints: run.total,
      samples: summary.sample_total,
      failed_samples: run.failedSamples,
      pending_samples: summary.sample_total - run.sampleProgress,
      pass_score: run.passScore,
      failed_as: question.failedAs,
      cluster_by: question.clusterBy,
      ...{ score, scorers, latency_ms, cost },
      judge_cost: summary.judge_cost,
      tokens: run.totalTokens,
      comparison: (baseline && comparisons.get(baseline.id)) ?? null,
    };
  }

  private async baseline(scope: Scope, run: EvalRunRow, id: string): Promise<EvalRunRow> {
    const baseline = isStorableText(id) ? await this.runs.find(scope, id) : null;
    if (!baseline) {
      throw new NotFound('eval_run_not_found', `there is no eval run ${JSON.stringify(id)} to compare with`);
    }
    if (baseline.datasetId !== run.datasetId) {
      throw invalidRequest([{ path: 'baseline', message: 'must be a run of the same dataset' }], 'the query');
    }
    return baseline;
  }
}

function readKs({ k }: EvalStatisticsQuery, { repeats }: EvalRunRow): number[] {
  if (k === undefined) return defaultKs(repeats);
  if (k.some((each) => each > repeats)) {
    throw invalidRequest([{ path: 'k', message: `must be at most ${repeats}, the repeats of the run` }], 'the query');
  }
  return [...new Set(k)];
}
