import { PeriodicTask, type Logger } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { EvalRunStore, RunKey } from '../eval-run.store.js';
import { formatRunName, RUNS_AT_ONCE, type RunDispatch, type RunHandler, type RunTiming } from './run-dispatch.js';

/** The dispatch of a process that has its database to itself: runs go from the commit to the handler. */
export class LocalDispatch implements RunDispatch {
  private readonly underWay = new Map<string, Promise<void>>();
  /** Runs under way that were brought once more: what is to be done for them may have come behind their handler's last look. */
  private readonly again = new Set<string>();
  private task: PeriodicTask | undefined;
  private handler: RunHandler | undefined;
  /** Whether a run was left since there was no room. */
  private left = false;

  constructor(
    private readonly runs: EvalRunStore,
    private readonly timing: RunTiming,
    private readonly logger: Logger,
  ) {}

  async enqueue(tx: WriteTx, run: RunKey): Promise<void> {
    tx.end.afterCommit(() => this.take(run));
  }

  /** Nothing is kept but the runs themselves. */
  async forget(): Promise<void> {}

  /** Leases of an earlier process count for nothing: this one is alone. */
  async start(handler: RunHandler): Promise<void> {
    await this.runs.release();
    this.handler = handler;
    await this.takeDue();
    this.task = new PeriodicTask({
      everyMs: this.timing.pollMs,
      task: () => this.takeDue(),
      failure: 'eval runs cannot be looked for now',
      logger: this.logger,
    });
    this.task.start();
  }

  async stop(): Promise<void> {
    this.handler = undefined;
    await this.task?.stop();
    await Promise.all(this.underWay.values());
  }

  private async takeDue(): Promise<void> {
    this.left = false;
    for (const run of await this.runs.abandoned(Date.now())) this.take(run);
  }

  private take(run: RunKey): void {
    const name = formatRunName(run);
    if (!this.handler) return;
    if (this.underWay.has(name)) {
      this.again.add(name);
      return;
    }
    if (this.underWay.size >= RUNS_AT_ONCE) {
      this.left = true;
      return;
    }
    const through = this.handler(run)
      .catch((error: unknown) => {
        this.logger.error({ err: error, run_id: run.id }, 'the work on an eval run failed; it is looked for again');
      })
      .then(() => {
        this.underWay.delete(name);
        if (this.again.delete(name)) this.take(run);
        if (this.left) this.task?.hurry();
      });
    this.underWay.set(name, through);
  }
}

/**
 * The dispatch of a server with `evals.paused`: it brings no run to this process and makes no jobs. Runs wait in their table, where
 * a server that is not paused finds them: at its start, and while it runs by looking for runs without a job.
 */
export class PausedDispatch implements RunDispatch {
  constructor(private readonly logger: Logger) {}

  async enqueue(): Promise<void> {}

  /** Jobs that other servers made of runs that are gone are through at once, and deleted an hour later. */
  async forget(): Promise<void> {}

  async start(): Promise<void> {
    this.logger.warn('eval runs are paused at this server (evals.paused): none begins here, and none goes on');
  }

  async stop(): Promise<void> {}
}
