import { Inject, Injectable } from '@nestjs/common';
import { ConnectionUnusable } from '@spandrel/connections';
import { DatasetSnapshots } from '@spandrel/datasets';
import { LOGGER, projectScope, type Logger, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { ChangeRun } from '../change-run.js';
import { EvalResultStore } from '../eval-result.store.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalSampleStore } from '../eval-sample.store.js';
import { EvalsSettings } from '../evals.settings.js';
import { ScoreWaiting } from '../external/score-waiting.js';
import { FinishRun } from '../finish-run.js';
import { isThrough, sampleTotal } from '../run-plan.js';
import { executeSample, maskResult, type PreparedModel } from './execute-sample.js';
import type { NotedCall } from './note-call.js';
import { patiently } from './patiently.js';
import { PendingSamples, type PendingSample } from './pending-samples.js';
import { Permits } from './permits.js';
import { PrepareRun, RunFailure, type PreparedRun } from './prepare-run.js';
import { RunSlots, turnOf, type ExecuteRunOptions } from './run-slots.js';
import type { SampleResult } from './sample-result.js';
import { WriteItemTrace } from './write-item-trace.js';

/** A run of the server, ready to be executed. */
type PreparedServerRun = PreparedRun & { model: PreparedModel };

/** Works through the unfinished samples of a run, and completes it (docs/spec/evaluations.md#how-many-items-at-once). */
@Injectable()
export class ExecuteRun {
  constructor(
    private readonly prepare: PrepareRun,
    private readonly snapshots: DatasetSnapshots,
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
    private readonly slots: RunSlots,
    private readonly waiting: ScoreWaiting,
    private readonly finish: FinishRun,
    private readonly change: ChangeRun,
    private readonly permits: Permits,
    private readonly traces: WriteItemTrace,
    @Inject(PRICING) private readonly pricing: PricingTable,
    private readonly settings: EvalsSettings,
    private readonly masking: ProjectMasking,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Calls every unfinished sample, or scores the results of an external run that wait, `evals.concurrency` at once, and completes
   * the run when all are processed. Returns when that is done, when the run is no longer this owner's to work on (cancelled, deleted, taken over), or when told to stop. A run that
   * cannot go on fails.
   * @throws what the database throws.
   */
  async execute(run: EvalRunRow, options: ExecuteRunOptions): Promise<void> {
    // A run whose last sample was processed and that was not completed needs no connection any more.
    if (!isThrough(run) && !(await this.process(run, options))) return;
    const patience = { kill: options.kill, failed: this.slots.notStored(run) };
    await patiently(() => this.finish.execute(run, options.owner), patience);
  }

  /** @returns `false` when the run cannot be executed, and has failed. */
  private async process(run: EvalRunRow, options: ExecuteRunOptions): Promise<boolean> {
    const scope = projectScope(run.projectId);
    let prepared: PreparedRun;
    try {
      prepared = await this.prepare.execute(scope, run);
    } catch (error) {
      if (!(error instanceof RunFailure) && !(error instanceof ConnectionUnusable)) throw error;
      await this.change.fail(run, error.message, Date.now());
      return false;
    }
    if (isOfServer(prepared)) await this.processSamples(scope, run, prepared, options);
    else await this.waiting.execute(run, prepared, options);
    return true;
  }

  /** Calls the model for each sample that is left. */
  private async processSamples(
    scope: Scope,
    run: EvalRunRow,
    prepared: PreparedServerRun,
    options: ExecuteRunOptions,
  ): Promise<void> {
    const work = {
      slots: Math.min(this.settings.concurrency, sampleTotal(run) - run.progress * run.repeats),
      samples: new PendingSamples(this.snapshots, this.results, this.samples, scope, run),
      call: (sample: PendingSample) => this.call(run, prepared, sample, options),
    };
    await this.slots.execute(run, work, options);
  }

  /** Calls and scores a sample; what was sent and answered is durable as a trace, where the run makes them, when it returns. */
  private call(
    run: EvalRunRow,
    prepared: PreparedServerRun,
    sample: PendingSample,
    options: ExecuteRunOptions,
  ): Promise<SampleResult> {
    const masking = this.masking.of(projectScope(run.projectId));
    if (masking !== null || prepared.trace) return this.callAndTrace(run, prepared, sample, options);
    const calling = { permits: this.permits.of(turnOf(run, options)), signal: options.kill };
    return executeSample(prepared.model, prepared.scorers, sample.kind, this.pricing, calling);
  }

  /** Calls like {@link call}, for a run that makes traces or a project that has rules, or may have. */
  private async callAndTrace(
    run: EvalRunRow,
    prepared: PreparedServerRun,
    sample: PendingSample,
    options: ExecuteRunOptions,
  ): Promise<SampleResult> {
    const calls: NotedCall[] = [];
    const { kill } = options;
    const note = (call: NotedCall): void => void calls.push(call);
    const calling = { permits: this.permits.of(turnOf(run, options)), signal: kill, note };
    const patience = { kill, failed: this.slots.notStored(run) };
    const masking = await patiently(async () => this.masking.of(projectScope(run.projectId)), patience);
    const { model, scorers } = prepared;
    const scored = await executeSample(model, scorers, sample.kind, this.pricing, calling, masking);
    const result = masking ? await masking.run((calls) => maskResult(calls, scored)) : scored;
    if (!prepared.trace) return result;
    try {
      return { ...result, traceId: await patiently(() => this.traces.execute(run, sample, calls), patience) };
    } catch (error) {
      if (kill.aborted) throw error;
      const facts = { err: error, run_id: run.id, datapoint_id: sample.datapointId, repeat: sample.repeat };
      this.logger.error(facts, 'an item is left without its trace');
      return result;
    }
  }
}

/** Whether the server calls the model of a run: nobody but its caller does for an external one. */
const isOfServer = (prepared: PreparedRun): prepared is PreparedServerRun => prepared.model !== undefined;
