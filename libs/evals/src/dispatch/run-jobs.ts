import { StartError } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { Job, PgBoss } from 'pg-boss';
import type { PgBossDatabase } from './pg-boss-database.sql.js';
import { nameOfRun, type DispatchedRun } from './run-dispatch.js';
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
export type RunJob = Job<DispatchedRun>;

/** Priorities of jobs: those that have their turn are fetched, first those of organizations that have none at work. */
const HAS_ITS_TURN = 1;
const ALONE = 2;

/**
 * Marks the waiting jobs that have their turn, by priorities, in which order pg-boss gives jobs away. Organizations take turns,
 * within them projects, within these runs in the order of their creation; what an organization or a project has at work on
 * any instance counts as turns that it has had. A project that has all its places is left out.
 */
const MARK_TURNS = `
  with unfinished as (
    select j.id, j.state, j.created_on, j.data ->> 'projectId' as project_id,
      coalesce(j.data ->> 'orgId', j.data ->> 'projectId') as org_id
    from ${SCHEMA}.job j
    where j.name = $1 and (j.state = 'active' or (j.state < 'active' and j.start_after <= now() and not j.blocked))
  ), of_projects as (
    select u.*, row_number() over (partition by u.project_id order by u.state desc, u.created_on, u.id) as turn_of_project
    from unfinished u
  ), of_orgs as (
    select o.*, row_number() over
      (partition by o.org_id order by o.state desc, o.turn_of_project, o.created_on, o.id) as turn
    from of_projects o
  ), waiting as (
    select w.id, w.turn, row_number() over (order by w.turn, w.created_on, w.id) as place
    from of_orgs w where w.state < 'active' and w.turn_of_project <= $2
  ), chosen as (
    select j.id, case when w.turn = 1 then ${ALONE} else ${HAS_ITS_TURN} end as priority
    from ${SCHEMA}.job j join waiting w on w.id = j.id
    where j.name = $1 and j.state < 'active' and (w.place <= $3 or (w.turn = 1 and w.place <= $3 + $4))
    order by j.id for update of j skip locked
  )
  update ${SCHEMA}.job j set priority = c.priority from chosen c
  where j.name = $1 and j.id = c.id and j.priority <> c.priority`;

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
  async add(tx: WriteTx, run: DispatchedRun): Promise<void> {
    await this.started.insert(QUEUE, [jobOf(run)], { db: this.database.within(tx) });
  }

  /** Makes jobs for those of the runs that have none. */
  async addMissing(runs: readonly DispatchedRun[]): Promise<void> {
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

  /**
   * @param beyond how many more may be taken of organizations that have no run at work on any instance.
   * @returns jobs that are this process's from now on, `count` at most and those beyond, each organization's turn after
   *   that of the others.
   */
  async take(count: number, beyond = 0): Promise<RunJob[]> {
    if (count + beyond <= 0) return [];
    await this.database.pool.executeSql(MARK_TURNS, [QUEUE, RUNS_OF_PROJECT, count, beyond]);
    const jobs = await this.fetch(count, HAS_ITS_TURN);
    if (jobs.length === count) jobs.push(...(await this.fetch(beyond, ALONE)));
    return jobs;
  }

  private async fetch(count: number, minPriority: number): Promise<RunJob[]> {
    if (count <= 0) return [];
    return this.started.fetch<DispatchedRun>(QUEUE, {
      batchSize: count,
      minPriority,
      groupConcurrency: RUNS_OF_PROJECT,
    });
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

const jobOf = ({ projectId, id, orgId }: DispatchedRun) => ({
  data: { projectId, id, ...(orgId ? { orgId } : {}) },
  singletonKey: nameOfRun({ projectId, id }),
  group: { id: projectId },
});
