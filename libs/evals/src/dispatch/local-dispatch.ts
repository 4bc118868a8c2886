import { PeriodicTask, type Logger } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { EvalRunStore, RunKey } from '../eval-run.store.js';
import { nameOfRun, RUNS_AT_ONCE, type RunDispatch, type RunHandler } from './run-dispatch.js';
import type { RunTiming } from './run-timing.js';

/** The dispatch of a process that has its database to itself: runs go from the commit to the handler. */
export class LocalDispatch implements RunDispatch {
  private readonly underWay = new Map<string, Promise<void>>();
  /** Runs under way that were brought once more: what is to be done for them may have come behind their handler's last look. */
  private readonly again = new Set<string>();
  /** Set by {@link start}. */
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
    const name = nameOfRun(run);
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
