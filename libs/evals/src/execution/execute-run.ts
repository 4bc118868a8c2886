import { Inject, Injectable } from '@nestjs/common';
import { ConnectionUnusable } from '@spandrel/connections';
import type { DatapointKind } from '@spandrel/contract';
import { DatasetSnapshots, type Snapshot, type SnapshotDatapoint } from '@spandrel/datasets';
import { LOGGER, projectScope, type Scope, type Logger } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { ChangeRun } from '../change-run.js';
import { EvalResultStore } from '../eval-result.store.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalSampleStore } from '../eval-sample.store.js';
import { EvalsSettings } from '../evals.settings.js';
import { ScorePending } from '../external/score-pending.js';
import { FinishRun } from '../finish-run.js';
import { isThrough, sampleTotal } from '../eval-run.js';
import { sampleName, type SampleKey } from '../eval-item.js';
import { executeSample, maskResult, type PreparedModel } from './execute-sample.js';
import { WriteItemTrace } from './item-trace.js';
import type { ObservedCall } from './model-call.js';
import { Permits } from './permits.js';
import { PrepareRun, RunFailure, type PreparedRun } from './prepare-run.js';
import { retryStorageWrite, RunSlots, createTurnPath, type ExecuteRunOptions } from './run-slots.js';
import type { SampleResult } from './sample-result.js';

/** Datapoints read in one go. */
const PAGE = 200;

/** So many left of a page begin the reading of the next one, so that no slot waits for it. */
const LEFT_MIN = PAGE / 2;

/** A sample that is to be called. */
interface PendingSample extends SampleKey {
  kind: DatapointKind;
}

interface Page {
  datapoints: SnapshotDatapoint[];
  /** Names of samples. */
  processed: ReadonlySet<string>;
}

const EMPTY: Page = { datapoints: [], processed: new Set() };

/**
 * The unprocessed samples of a run in the order of datapoint and repeat, each handed out once; however many there are, two pages
 * of datapoints are in memory.
 */
export class PendingSamples {
  private readonly snapshot: Snapshot;
  private page = EMPTY;
  /** Datapoints of the page all of whose samples were handed out, and samples of the one behind them. */
  private taken = 0;
  private repeat = 0;
  private after = '';
  private ended = false;
  /** The page behind {@link page}, or its error; begun before it is needed. */
  private coming: Promise<Page> | undefined;
  private turning: Promise<void> | undefined;

  constructor(
    private readonly snapshots: Pick<DatasetSnapshots, 'after'>,
    private readonly results: Pick<EvalResultStore, 'processed'>,
    private readonly samples: Pick<EvalSampleStore, 'processed'>,
    private readonly scope: Scope,
    private readonly run: EvalRunRow,
  ) {
    this.snapshot = { datasetId: run.datasetId, version: run.datasetVersion };
  }

  /** @returns a sample; `undefined` when all have been handed out. */
  async next(): Promise<PendingSample | undefined> {
    for (;;) {
      const sample = this.ofPage();
      if (sample) return sample;
      if (this.ended) return undefined;
      await (this.turning ??= this.turn().finally(() => (this.turning = undefined)));
    }
  }

  /** @returns the next sample of the page, `undefined` when it has none left. */
  private ofPage(): PendingSample | undefined {
    const { datapoints, processed } = this.page;
    for (let datapoint = datapoints[this.taken]; datapoint; datapoint = datapoints[this.taken]) {
      const sample = { datapointId: datapoint.id, repeat: this.repeat, kind: datapoint.kind };
      this.repeat++;
      if (this.repeat >= this.run.repeats) {
        this.repeat = 0;
        this.taken++;
        if (datapoints.length - this.taken < LEFT_MIN) this.readAhead();
      }
      if (processed.size === 0 || !processed.has(sampleName(sample))) return sample;
    }
    return undefined;
  }

  private readAhead(): void {
    if (this.coming || this.ended) return;
    this.coming = this.read();
    // The error is thrown where the page is turned.
    this.coming.catch(() => undefined);
  }

  private async turn(): Promise<void> {
    const coming = this.coming ?? this.read();
    this.coming = undefined;
    this.page = await coming;
    this.taken = 0;
  }

  private async read(): Promise<Page> {
    const datapoints = await this.snapshots.after(this.scope, this.snapshot, this.after, PAGE);
    const ids = datapoints.map(({ id }) => id);
    const processed = await this.processed(ids);
    this.after = ids.at(-1) ?? this.after;
    this.ended = ids.length === 0;
    return { datapoints, processed };
  }

  private async processed(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { id, repeats, sampleProgress } = this.run;
    // A run that begins has none.
    if (sampleProgress === 0 || ids.length === 0) return EMPTY.processed;
    if (repeats === 1) return this.results.processed(this.scope, id, ids);
    return new Set((await this.samples.processed(this.scope, id, ids)).map(sampleName));
  }
}

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
    private readonly waiting: ScorePending,
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
   * the run when all are processed. Returns when that is done, when the run is no longer this owner's to work on (cancelled, deleted,
   * taken over), or when `stop` fires. A run that cannot go on fails.
   * @throws what the database throws.
   */
  async execute(run: EvalRunRow, options: ExecuteRunOptions): Promise<void> {
    // A run whose last sample was processed and that was not completed needs no connection any more.
    if (!isThrough(run) && !(await this.process(run, options))) return;
    const retry = { kill: options.kill, failed: this.slots.notStored(run) };
    await retryStorageWrite(() => this.finish.execute(run, options.owner), retry);
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
    const calling = { permits: this.permits.of(createTurnPath(run, options)), signal: options.kill };
    return executeSample(prepared.model, prepared.scorers, sample.kind, this.pricing, calling);
  }

  /** Calls like {@link call}, for a run that makes traces or a project that has rules, or may have. */
  private async callAndTrace(
    run: EvalRunRow,
    prepared: PreparedServerRun,
    sample: PendingSample,
    options: ExecuteRunOptions,
  ): Promise<SampleResult> {
    const calls: ObservedCall[] = [];
    const { kill } = options;
    const observe = (call: ObservedCall): void => void calls.push(call);
    const calling = { permits: this.permits.of(createTurnPath(run, options)), signal: kill, observe };
    const retry = { kill, failed: this.slots.notStored(run) };
    const masking = await retryStorageWrite(async () => this.masking.of(projectScope(run.projectId)), retry);
    const { model, scorers } = prepared;
    const scored = await executeSample(model, scorers, sample.kind, this.pricing, calling, masking);
    const result = masking ? await masking.run((calls) => maskResult(calls, scored)) : scored;
    if (!prepared.trace) return result;
    try {
      return { ...result, traceId: await retryStorageWrite(() => this.traces.execute(run, sample, calls), retry) };
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
