import { Injectable } from '@nestjs/common';
import { isStorableText, type EvalStatistics, type EvalStatisticsQuery } from '@spandrel/contract';
import { invalidRequest, NotFound, type Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore } from '../eval-run.store.js';
import { evalRunNotFound, runSummary } from '../eval-run.js';
import { MeasureRun } from './measure-run.js';
import { defaultKs } from './run-statistics.js';

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
