import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, newId, PeriodicTask, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ChangeRun } from './change-run.js';
import { EvalRunStore, type RunKey } from './eval-run.store.js';
import { ExecuteRun } from './execute-run.js';

/** A run whose process says nothing for so long is taken over by another (within 60 s, contract.md "Evaluations"). */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 5_000;
/** Longest until a run that keeps being interrupted is taken up again. */
const RETRY_MS_MAX = 300_000;
/** What calls in flight get to end when the process stops; their items are called again by the next one otherwise. */
const DRAIN_MS = 5_000;

/**
 * The runs this process works on. A run belongs to a process by a lease that the process keeps renewing; one whose lease
 * has run out is taken up by whoever sees it first and goes on from its unfinished items.
 */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly owner = newId();
  private readonly running = new Map<string, { id: string; stop: AbortController; done: Promise<void> }>();
  /** How often runs were interrupted by errors, since they last went on. */
  private readonly interruptions = new Map<string, number>();
  private readonly tasks: readonly PeriodicTask[];
  private readonly killed = new AbortController();
  private stopped = false;

  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly change: ChangeRun,
    private readonly execute: ExecuteRun,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failure = 'eval runs cannot be looked after now';
    this.tasks = [
      new PeriodicTask({ everyMs: POLL_MS, task: () => this.takeAbandoned(), failure, logger }),
      new PeriodicTask({ everyMs: RENEW_MS, task: () => this.renewLeases(), failure, logger }),
    ];
  }

  /** The lease a run is made with. */
  lease = (now: number): { owner: string; until: number } => ({ owner: this.owner, until: now + LEASE_MS });

  /** Goes to work on a run that is this process's. */
  begin(run: RunKey): void {
    const key = keyOf(run);
    if (this.stopped || this.running.has(key)) return;
    const stop = new AbortController();
    const done = this.work(run, stop.signal).finally(() => this.running.delete(key));
    this.running.set(key, { id: run.id, stop, done });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.storage.exclusive) await this.runs.release();
    await this.takeAbandoned();
    for (const task of this.tasks) task.start();
  }

  /** Begins no more items, waits a little for those in flight, and lets the runs go. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.tasks.map((task) => task.stop()));
    const running = [...this.running.values()];
    for (const { stop } of running) stop.abort();
    const kill = setTimeout(() => this.killed.abort(new Error('the process is stopping')), DRAIN_MS);
    await Promise.all(running.map(({ done }) => done));
    clearTimeout(kill);
    await this.runs.release(this.owner).catch((error: unknown) => this.logger.warn({ err: error }, 'leases stay'));
  }

  private async takeAbandoned(): Promise<void> {
    const now = Date.now();
    for (const run of await this.runs.abandoned(now)) {
      if (this.stopped) return;
      if (await this.runs.lease(run, this.owner, now, now + LEASE_MS)) this.begin(run);
    }
  }

  private async renewLeases(): Promise<void> {
    const ids = [...this.running.values()].map(({ id }) => id);
    await this.runs.renew(this.owner, ids, Date.now() + LEASE_MS);
  }

  /** Works on a run for as long as it is this process's; what is left of it then is taken up by whoever sees it. */
  private async work(run: RunKey, stop: AbortSignal): Promise<void> {
    const key = keyOf(run);
    let takenAgainIn = 0;
    try {
      const begun = await this.change.begin(run, Date.now());
      if (begun) await this.execute.run(begun, { owner: this.owner, stop, kill: this.killed.signal });
      this.interruptions.delete(key);
    } catch (error) {
      const interruptions = (this.interruptions.get(key) ?? 0) + 1;
      this.interruptions.set(key, interruptions);
      takenAgainIn = Math.min(RETRY_MS_MAX, POLL_MS * 2 ** (interruptions - 1));
      this.logger.error(
        { err: error, run_id: run.id, interruptions },
        'an eval run was interrupted; it is taken up again',
      );
    }
    try {
      await this.runs.giveBack(run, this.owner, Date.now() + takenAgainIn);
    } catch (error) {
      // Then its lease runs out.
      this.logger.warn({ err: error, run_id: run.id }, 'an eval run could not be let go');
    }
  }
}

const keyOf = ({ projectId, id }: RunKey): string => `${projectId}/${id}`;
