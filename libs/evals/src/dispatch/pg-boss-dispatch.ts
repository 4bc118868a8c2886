import { PeriodicTask, type Logger, type ProjectDirectory } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { EvalRunStore } from '../eval-run.store.js';
import type { PgBossDatabase } from './pg-boss-database.sql.js';
import { nameOfRun, RUNS_AT_ONCE, type DispatchedRun, type RunDispatch, type RunHandler } from './run-dispatch.js';
import { RunJobs, type RunJob } from './run-jobs.js';
import type { RunTiming } from './run-timing.js';

/**
 * The dispatch of many processes on one Postgres: a run is a job of pg-boss from its creation until it is over. The job is
 * active while a process works on the run; pg-boss gives it to another one when it hears nothing from that process.
 */
export class PgBossDispatch implements RunDispatch {
  private readonly jobs: RunJobs;
  private readonly held = new Map<string, { job: RunJob; through: Promise<void> }>();
  /** Set by {@link start}. */
  private poll: PeriodicTask | undefined;
  private tasks: readonly PeriodicTask[] = [];
  private handler: RunHandler | undefined;
  private isTroubled = false;

  constructor(
    database: PgBossDatabase,
    private readonly runs: EvalRunStore,
    private readonly timing: RunTiming,
    private readonly logger: Logger,
    private readonly organizationOf: ProjectDirectory['organizationOf'],
  ) {
    this.jobs = new RunJobs(database, timing, {
      failed: (error) => this.trouble(error),
      warned: (message, data) => logger.warn({ data }, `pg-boss: ${message}`),
    });
  }

  async enqueue(tx: WriteTx, run: DispatchedRun): Promise<void> {
    await this.jobs.add(tx, run);
    tx.end.afterCommit(() => this.poll?.hurry());
  }

  async forget(projectId: string): Promise<void> {
    await this.jobs.forget(projectId);
  }

  /** @throws StartError when the queue cannot be made. */
  async start(handler: RunHandler): Promise<void> {
    this.handler = handler;
    await this.jobs.start();
    const { pollMs, renewMs, sweepMs } = this.timing;
    this.poll = this.task(pollMs, () => this.fetch());
    this.tasks = [
      this.poll,
      this.task(renewMs, () => this.jobs.touch([...this.held.values()].map(({ job }) => job))),
      this.task(sweepMs, () => this.sweep()),
    ];
    for (const task of this.tasks) {
      task.start();
      task.hurry();
    }
  }

  async stop(): Promise<void> {
    this.handler = undefined;
    await this.poll?.stop();
    await Promise.all([...this.held.values()].map(({ through }) => through));
    await Promise.all(this.tasks.map((task) => task.stop()));
    await this.jobs.stop();
  }

  /** Takes as many jobs as there is room for, and beyond that those of organizations that have no run at work anywhere. */
  private async fetch(): Promise<void> {
    const room = Math.max(0, RUNS_AT_ONCE - this.held.size);
    const beyond = 2 * RUNS_AT_ONCE - this.held.size - room;
    for (const job of await this.jobs.take(room, beyond)) await this.begin(job);
  }

  private async begin(job: RunJob): Promise<void> {
    const name = nameOfRun(job.data);
    const { handler } = this;
    // Came with the stop; or is a second job of a run, whose first one pg-boss has given up.
    if (!handler || this.held.has(name)) {
      await this.jobs.settle(job, Date.now() + (handler ? this.timing.leaseMs : 0));
      return;
    }
    const through = handler(job.data)
      .catch((error: unknown) => {
        this.logger.error({ err: error, run_id: job.data.id }, 'the work on an eval run failed; it is taken up again');
        return Date.now() + this.timing.leaseMs;
      })
      .then((again) => this.orTrouble(() => this.settle(job, again)))
      .then(() => {
        const wasFull = this.held.size >= RUNS_AT_ONCE;
        this.held.delete(name);
        if (wasFull) this.poll?.hurry();
      });
    this.held.set(name, { job, through });
  }

  /** While a run has an active job no other one is made: for results that came behind the handler's last look it is made here. */
  private async settle(job: RunJob, again: number | undefined): Promise<void> {
    await this.jobs.settle(job, again);
    if (again !== undefined || !(await this.runs.isLeftDue(job.data))) return;
    await this.jobs.addMissing([job.data]);
    this.poll?.hurry();
  }

  /** Sees to runs without a job: those of versions before this one, those whose job was lost. */
  private async sweep(): Promise<void> {
    const runs = await this.runs.abandoned(Date.now() - this.timing.sweepMs);
    const missing = runs.filter((run) => !this.held.has(nameOfRun(run)));
    const orgs = new Map<string, string | undefined>();
    for (const projectId of new Set(missing.map((run) => run.projectId))) {
      orgs.set(projectId, await this.organizationOf(projectId));
    }
    await this.jobs.addMissing(missing.map((run) => ({ ...run, orgId: orgs.get(run.projectId) })));
  }

  private task(everyMs: number, work: () => Promise<void>): PeriodicTask {
    const { logger } = this;
    return new PeriodicTask({
      everyMs,
      task: () => this.orTrouble(work),
      failure: 'eval runs cannot be dispatched now',
      logger,
    });
  }

  /** Does what is done again anyway when it fails. */
  private async orTrouble(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (this.isTroubled) this.logger.info('eval runs are dispatched again');
      this.isTroubled = false;
    } catch (error) {
      this.trouble(error);
    }
  }

  /** Said once until it is over: a database that restarts is asked every second. */
  private trouble(error: unknown): void {
    if (!this.isTroubled) this.logger.warn({ err: error }, 'eval runs cannot be dispatched now');
    this.isTroubled = true;
  }
}
