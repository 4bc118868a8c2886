import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ConnectionUnusable, FindReaders } from '@spandrel/connections';
import type { DatapointKind } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import {
  Permits,
  LOGGER,
  projectScope,
  type Scope,
  type Logger,
  backoff,
  CoreSettings,
  lifeLevel,
  newId,
  PeriodicTask,
} from '@spandrel/kernel';
import { retryStorageWrite } from '@spandrel/storage';
import { ProjectMasking } from '@spandrel/masking';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { ChangeRun } from '../change-run.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalSampleStore } from '../eval-result.store.js';
import { EvalsSettings } from '../evals.settings.js';
import { ScorePending } from '../external/score-pending.js';
import { FinishRun } from '../finish-run.js';
import { isThrough, sampleTotal, snapshotOf, listConnections } from '../eval-run.js';
import { sampleName, type SampleKey } from '../eval-item.js';
import { executeSample, maskResult, type PreparedModel, FindAnswers } from './execute-sample.js';
import { BaselineAnswers, type FindBaseline } from './baseline-answers.js';
import { WriteItemTrace } from './item-trace.js';
import type { ObservedCall } from './model-call.js';
import { RunCalls } from './run-calls.js';
import { PrepareRun, RunFailure, type PreparedRun } from './prepare-run.js';
import { RunSlots, createTurnPath, type ExecuteRunOptions } from './run-slots.js';
import type { SampleResult } from './sample-result.js';
import { EvalRunStore, type RunKey } from '../eval-run.store.js';
import {
  formatRunName,
  RUN_DISPATCH,
  RUN_TIMING,
  type DispatchedRun,
  type RunDispatch,
  type RunTiming,
} from '../dispatch/run-dispatch.js';

/** Pauses before a run that is interrupted is taken up again: the first, and the longest. */
const RETRY_MS_MIN = 5_000;
const RETRY_MS_MAX = 300_000;
/** What calls in flight get to end when the process stops; their items are called again by the next one otherwise. */
const DRAIN_MS = 5_000;
/** When a run that is left to another server is offered again, to whichever comes first. */
const OTHERS_MS = 1_000;

const PAGE = 200;

interface PendingSample extends SampleKey {
  kind: DatapointKind;
}

/**
 * The unprocessed samples of a run in the order of datapoint and repeat, each handed out once; however many there are, two pages
 * of datapoints are in memory.
 */
export async function* pendingSamples(
  snapshots: Pick<DatasetSnapshots, 'after'>,
  rows: Pick<EvalSampleStore, 'processed'>,
  scope: Scope,
  run: EvalRunRow,
): AsyncGenerator<PendingSample, undefined> {
  const snapshot = snapshotOf(run);
  const read = async (after: string) => {
    const datapoints = await snapshots.after(scope, snapshot, after, PAGE);
    const ids = datapoints.map(({ id }) => id);
    // A run that begins has none.
    const processed = run.sampleProgress === 0 ? new Set() : await rows.processed(scope, run, ids);
    return { datapoints, processed };
  };
  for (let coming = read(''); ;) {
    const { datapoints, processed } = await coming;
    const last = datapoints.at(-1);
    if (!last) return undefined;
    // Read ahead, so that no slot waits for it; an error is thrown where the page is needed.
    coming = read(last.id);
    coming.catch(() => undefined);
    for (const { id: datapointId, kind } of datapoints) {
      for (let repeat = 0; repeat < run.repeats; repeat++) {
        if (!processed.has(sampleName({ datapointId, repeat }))) yield { datapointId, repeat, kind };
      }
    }
  }
}

type PreparedServerRun = PreparedRun & { model: PreparedModel };

/** Works through the unfinished samples of a run, and completes it (docs/spec/evaluations.md#how-many-items-at-once). */
@Injectable()
export class ExecuteRun {
  constructor(
    private readonly prepare: PrepareRun,
    private readonly snapshots: DatasetSnapshots,
    private readonly samples: EvalSampleStore,
    private readonly slots: RunSlots,
    private readonly waiting: ScorePending,
    private readonly finish: FinishRun,
    private readonly change: ChangeRun,
    private readonly permits: Permits,
    private readonly traces: WriteItemTrace,
    private readonly answers: FindAnswers,
    private readonly baselines: BaselineAnswers,
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

  private async processSamples(
    scope: Scope,
    run: EvalRunRow,
    prepared: PreparedServerRun,
    options: ExecuteRunOptions,
  ): Promise<void> {
    const calls = new RunCalls(this.settings.concurrency);
    const findBaseline = await this.baselines.open(scope, run, prepared.scorers);
    const work = {
      slots: Math.min(this.settings.concurrency, sampleTotal(run) - run.progress * run.repeats),
      samples: pendingSamples(this.snapshots, this.samples, scope, run),
      call: (sample: PendingSample) => this.call(run, calls, { ...prepared, findBaseline }, sample, options),
    };
    await this.slots.execute(run, work, options);
  }

  /** Calls and scores a sample; what was sent and answered is durable as a trace, where the run makes them, when it returns. */
  private async call(
    run: EvalRunRow,
    shared: RunCalls,
    { model, scorers, trace, findBaseline }: PreparedServerRun & { findBaseline: FindBaseline },
    sample: PendingSample,
    options: ExecuteRunOptions,
  ): Promise<SampleResult> {
    const calls: ObservedCall[] = [];
    const { kill } = options;
    const observe = (call: ObservedCall): void => void calls.push(call);
    const calling = { permits: this.permits.of(createTurnPath(run, options)), signal: kill, run: shared, observe };
    const retry = { kill, failed: this.slots.notStored(run) };
    const masking = await retryStorageWrite(async () => this.masking.of(projectScope(run.projectId)), retry);
    const { tries, kept } = await retryStorageWrite(() => this.answers.findFormer(run, sample), retry);
    const baseline = await retryStorageWrite(() => findBaseline(sample), retry);
    const findKnown = async (callHash: string) =>
      kept ?? retryStorageWrite(() => this.answers.findReusable(run, sample, callHash), retry);
    const scored = await executeSample(
      model,
      scorers,
      sample.kind,
      this.pricing,
      calling,
      masking,
      baseline,
      findKnown,
    );
    const result = masking ? await masking.run((calls) => maskResult(calls, scored)) : scored;
    if (!trace) return result;
    try {
      return {
        ...result,
        traceId: await retryStorageWrite(() => this.traces.execute(run, { ...sample, tries }, calls), retry),
      };
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

/**
 * Works on the runs that are brought to this process. A run belongs to a process by a lease that the process keeps
 * renewing; one whose lease has run out goes on, from its unfinished items, at the process it is brought to next
 * (docs/spec/evaluations.md#runs-survive-a-restart).
 */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly owner = newId();
  private readonly working = new Set<string>();
  /** How often runs were interrupted by errors, since they last went on. */
  private readonly interruptions = new Map<string, number>();
  /** Renews the leases of the runs at work here; set at the start. */
  private renewals: PeriodicTask | undefined;
  private readonly stopping = new AbortController();
  private readonly killed = new AbortController();

  constructor(
    private readonly runs: EvalRunStore,
    private readonly change: ChangeRun,
    private readonly execute: ExecuteRun,
    private readonly readers: FindReaders,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
    @Inject(RUN_TIMING) private readonly timing: RunTiming,
    private readonly core: CoreSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.renewals = new PeriodicTask({
      everyMs: this.timing.renewMs,
      task: () => this.runs.renew(this.owner, [...this.working], this.leaseEnd()),
      failure: 'leases of eval runs cannot be renewed now',
      logger: this.logger,
    });
    this.renewals.start();
    await this.dispatch.start((run) => this.work(run));
  }

  /** Begins no more items, waits a little for those in flight, and lets each run go once its own are over. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    const kill = setTimeout(() => this.killed.abort(new Error('the process is stopping')), DRAIN_MS);
    await this.dispatch.stop();
    clearTimeout(kill);
    await this.renewals?.stop();
  }

  private async work(run: DispatchedRun): Promise<number | undefined> {
    const name = formatRunName(run);
    let from = 0;
    this.working.add(run.id);
    try {
      if (await this.isForOthers(run)) return Date.now() + OTHERS_MS;
      const begun = await this.change.begin(run, { owner: this.owner, until: this.leaseEnd() }, Date.now());
      if (!begun) return undefined;
      if ('busyUntil' in begun) return begun.busyUntil;
      if (begun.wasRunning && !this.interruptions.has(name)) {
        const { projectId, id, progress, total } = begun.run;
        const fields = { run_id: id, project_id: projectId, progress, total };
        this.logger[lifeLevel(this.core.mode)](fields, 'eval run taken over');
      }
      const { signal: stop } = this.stopping;
      const { orgId } = run;
      await this.execute.execute(begun.run, { owner: this.owner, orgId, stop, kill: this.killed.signal });
      this.interruptions.delete(name);
    } catch (error) {
      if (!this.stopping.signal.aborted) from = this.interrupted(run, error);
    } finally {
      this.working.delete(run.id);
    }
    return this.giveBack(run, from);
  }

  /** Whether the run needs a connection that another server can read, and this one cannot: it is left to that. */
  private async isForOthers(run: RunKey): Promise<boolean> {
    const scope = projectScope(run.projectId);
    const row = await this.runs.find(scope, run.id);
    // A run that is through calls nobody any more.
    if (!row || isThrough(row)) return false;
    return this.readers.onlyElsewhere(scope, [...listConnections(row)]);
  }

  private interrupted(run: RunKey, error: unknown): number {
    const interruptions = (this.interruptions.get(formatRunName(run)) ?? 0) + 1;
    this.interruptions.set(formatRunName(run), interruptions);
    this.logger.error(
      { err: error, run_id: run.id, interruptions },
      'an eval run was interrupted; it is taken up again',
    );
    return Date.now() + backoff(interruptions, RETRY_MS_MIN, RETRY_MS_MAX);
  }

  /** Lets a run go when it is unfinished and this process's. @returns when it is to be taken up again, if at all. */
  private async giveBack(run: RunKey, from: number): Promise<number | undefined> {
    try {
      return (await this.runs.giveBack(run, this.owner, from)) ? from : undefined;
    } catch (error) {
      this.logger.warn(
        { err: error, run_id: run.id },
        'the lease of an eval run could not be given back; it runs out by itself',
      );
      return this.leaseEnd();
    }
  }

  private leaseEnd = (): number => Date.now() + this.timing.leaseMs;
}
