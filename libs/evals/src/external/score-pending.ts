import { Inject, Injectable } from '@nestjs/common';
import type { DatapointKind } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { Permits, projectScope, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { retryStorageWrite, fromJsonText } from '@spandrel/storage';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { readInputAndExpected, type SampleKey } from '../eval-item.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore } from '../eval-run.store.js';
import { EvalsSettings } from '../evals.settings.js';
import { BaselineAnswers, type FindBaseline } from '../execution/baseline-answers.js';
import { maskScore } from '../execution/execute-sample.js';
import { RunCalls } from '../execution/run-calls.js';
import type { PreparedRun } from '../execution/prepare-run.js';
import { scoreSample, type PreparedScorer } from '../execution/score-sample.js';
import { RunSlots, createTurnPath, type ExecuteRunOptions } from '../execution/run-slots.js';
import type { SampleResult } from '../execution/sample-result.js';
import { listScorers, snapshotOf, RUN_STATUS } from '../eval-run.js';
import { SubmissionStore } from './submission.store.js';
import { toSampleResult, type NormalizedResult } from './submitted-result.js';

const PAGE = 200;

interface PendingResult extends SampleKey {
  kind: DatapointKind;
  taken: NormalizedResult;
  hash: string;
}

/** Has the server's scorers look at results of external runs (docs/spec/external-runs.md#scorers). */
@Injectable()
export class ScorePending {
  constructor(
    private readonly submissions: SubmissionStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly runs: EvalRunStore,
    private readonly slots: RunSlots,
    private readonly permits: Permits,
    private readonly baselines: BaselineAnswers,
    @Inject(PRICING) private readonly pricing: PricingTable,
    private readonly settings: EvalsSettings,
    private readonly masking: ProjectMasking,
  ) {}

  /**
   * Scores results, `evals.concurrency` at once, until none waits: also those that come meanwhile. Returns earlier when the run is
   * no longer this owner's to work on, or when `stop` fires.
   * @throws what the database throws.
   */
  async execute(run: EvalRunRow, { scorers }: PreparedRun, options: ExecuteRunOptions): Promise<void> {
    const scope = projectScope(run.projectId);
    const calls = new RunCalls(this.settings.concurrency);
    const findBaseline = await this.baselines.open(scope, run, scorers);
    for (let hasMore = true; hasMore && !options.stop.aborted;) {
      let isAny = false;
      const call = (sample: PendingResult): Promise<SampleResult> => {
        isAny = true;
        return this.score(run, calls, { scorers, findBaseline }, sample, options);
      };
      const work = { slots: this.settings.concurrency, samples: this.pages(scope, run), call };
      await this.slots.execute(run, work, options);
      hasMore = isAny && (await this.isLeft(scope, run, options.owner));
    }
  }

  /** What waits as of now, in order. */
  private async *pages(scope: Scope, run: EvalRunRow): AsyncGenerator<PendingResult, undefined> {
    const snapshot = snapshotOf(run);
    for (let after: SampleKey | undefined; ;) {
      const page = await this.submissions.after(scope, run.id, after, PAGE);
      if (page.length === 0) return undefined;
      const ids = [...new Set(page.map(({ datapointId }) => datapointId))];
      const { datapoints, read } = await this.snapshots.some(scope, snapshot, ids);
      const looked = new Set(ids.slice(0, read));
      for (const { datapointId, repeat, result, resultHash } of page) {
        // What did not fit into memory comes with the next page.
        if (!looked.has(datapointId)) break;
        after = { datapointId, repeat };
        const { kind } = datapoints.get(datapointId)!;
        yield { datapointId, repeat, kind, taken: fromJsonText(result) as NormalizedResult, hash: resultHash };
      }
    }
  }

  private async score(
    run: EvalRunRow,
    shared: RunCalls,
    { scorers, findBaseline }: { scorers: readonly PreparedScorer[]; findBaseline: FindBaseline },
    pending: PendingResult,
    options: ExecuteRunOptions,
  ): Promise<SampleResult> {
    const { kill } = options;
    const { kind, taken, hash } = pending;
    const { input, expected } = readInputAndExpected(kind);
    const calling = { permits: this.permits.of(createTurnPath(run, options)), signal: kill, run: shared };
    const { latencyMs, cost } = taken;
    const retry = { kill, failed: this.slots.notStored(run) };
    const baseline = await retryStorageWrite(() => findBaseline(pending), retry);
    const sample = { input, output: taken.output!, expected, baseline, latencyMs, cost };
    const scored = await scoreSample(scorers, sample, this.pricing, calling);
    const masking = await retryStorageWrite(async () => this.masking.of(projectScope(run.projectId)), retry);
    const results = masking ? await masking.run((calls) => scored.map((result) => maskScore(calls, result))) : scored;
    const byName = new Map(scorers.map(({ name }, index) => [name, results[index]!]));
    return toSampleResult(listScorers(run), taken, byName, hash);
  }

  private async isLeft(scope: Scope, { id }: EvalRunRow, owner: string): Promise<boolean> {
    const run = await this.runs.find(scope, id);
    return run?.status === RUN_STATUS.running && run.leaseOwner === owner && run.unscored > 0;
  }
}
