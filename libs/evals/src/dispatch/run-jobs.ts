import { StartError } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { Job, PgBoss } from 'pg-boss';
import type { RunKey } from '../eval-run.store.js';
import type { PgBossDatabase } from './pg-boss-database.sql.js';
import { nameOfRun } from './run-dispatch.js';
import type { RunTiming } from './run-timing.js';

const SCHEMA = 'spandrel_jobs';
const QUEUE = 'eval-runs';

/** Runs of one project that all instances together work on at once: the places are not for one tenant alone. */
const RUNS_OF_PROJECT = 100;

/** What a job that is through is kept for, in seconds, and how often such jobs are deleted. */
const KEPT_SECONDS = 3_600;

/** pg-boss allows no more; a run that takes longer goes on, under its lease alone. */
const JOB_SECONDS_MAX = 24 * 3_600;

/** How often the processes of a run may die before its job is lost, and a new one is made. */
const DEATHS_MAX = 1_000;

/** A run that is given to this process. */
export type RunJob = Job<RunKey>;

/** Told of what pg-boss does by itself, in the background. */
export interface RunJobsWatch {
  failed(error: unknown): void;
  warned(message: string, data: object): void;
}

/** The queue of pg-boss that runs wait in. A run has one job at most that is not through, by its key. */
export class RunJobs {
  private boss: PgBoss | undefined;

  constructor(
    private readonly database: PgBossDatabase,
    private readonly timing: RunTiming,
    private readonly watch: RunJobsWatch,
  ) {}

  /** Makes what is missing of the queue. @throws StartError when it cannot be made. */
  async start(): Promise<void> {
    const { superviseSeconds, heartbeatSeconds } = this.timing;
    // Local mode starts without it.
    const { PgBoss: Queue } = await import('pg-boss');
    const boss = new Queue({
      db: this.database.pool,
      schema: SCHEMA,
      schedule: false,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
      maintenanceIntervalSeconds: KEPT_SECONDS,
    });
    // Without a listener its errors would end the process.
    boss.on('error', (error) => this.watch.failed(error));
    boss.on('warning', ({ message, data }) => this.watch.warned(message, data));
    this.boss = boss;
    const queue = {
      heartbeatSeconds,
      expireInSeconds: JOB_SECONDS_MAX,
      retryLimit: DEATHS_MAX,
      deleteAfterSeconds: KEPT_SECONDS,
    };
    try {
      await this.database.alone(async () => {
        await boss.start();
        await boss.createQueue(QUEUE, { ...queue, policy: 'exclusive' });
        await boss.updateQueue(QUEUE, queue);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartError([`DATABASE_URL: the schema ${SCHEMA} for eval runs cannot be set up: ${reason}`]);
    }
  }

  async stop(): Promise<void> {
    await this.boss?.stop({ graceful: false });
  }

  /** Makes a job that is there when `tx` is committed. */
  async add(tx: WriteTx, run: RunKey): Promise<void> {
    await this.started.insert(QUEUE, [jobOf(run)], { db: this.database.within(tx) });
  }

  /** Makes jobs for those of the runs that have none. */
  async addMissing(runs: readonly RunKey[]): Promise<void> {
    if (runs.length > 0) await this.started.insert(QUEUE, runs.map(jobOf));
  }

  /** Deletes the jobs of a project, also those that are through. */
  async forget(projectId: string): Promise<void> {
    await this.database.write(async (db) => {
      await db.executeSql(`delete from ${SCHEMA}.job where name = $1 and data ->> 'projectId' = $2`, [
        QUEUE,
        projectId,
      ]);
    });
  }

  /** @returns jobs that are this process's from now on, `count` at most. */
  take(count: number): Promise<RunJob[]> {
    return this.started.fetch<RunKey>(QUEUE, { batchSize: count, groupConcurrency: RUNS_OF_PROJECT });
  }

  /** Says that this process is alive and has these jobs. */
  async touch(jobs: readonly RunJob[]): Promise<void> {
    if (jobs.length > 0) await this.started.touch(QUEUE, [...jobs]);
  }

  /**
   * Ends a job, unless it has become another process's.
   * @param again when the run is to be given to a process again, in epoch ms: by a new job, made with the end of this one.
   */
  async settle(job: RunJob, again: number | undefined): Promise<void> {
    await this.database.write(async (db) => {
      await this.started.complete(QUEUE, job, null, { db });
      if (again === undefined) return;
      const startAfter = Math.max(0, Math.ceil((again - Date.now()) / 1_000));
      await this.started.insert(QUEUE, [{ ...jobOf(job.data), startAfter }], { db });
    });
  }

  private get started(): PgBoss {
    if (!this.boss) throw new Error('the queue of eval runs is used before its start');
    return this.boss;
  }
}

const jobOf = ({ projectId, id }: RunKey) => ({
  data: { projectId, id },
  singletonKey: nameOfRun({ projectId, id }),
  group: { id: projectId },
});
