import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { FindReaders } from '@spandrel/connections';
import {
  backoff,
  CoreSettings,
  lifeLevel,
  LOGGER,
  type Logger,
  newId,
  PeriodicTask,
  projectScope,
} from '@spandrel/kernel';
import { ChangeRun } from '../change-run.js';
import { EvalRunStore, type RunKey } from '../eval-run.store.js';
import { listConnections, isThrough } from '../eval-run.js';
import { ExecuteRun } from './execute-run.js';
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
