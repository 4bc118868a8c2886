import { StartError, PeriodicTask, type Logger, type ProjectDirectory } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { Job, PgBoss } from 'pg-boss';
import type { EvalRunStore } from '../eval-run.store.js';
import type { PgBossDatabase } from './pg-boss-database.sql.js';
import {
  formatRunName,
  RUNS_AT_ONCE,
  type DispatchedRun,
  type RunTiming,
  type RunDispatch,
  type RunHandler,
} from './run-dispatch.js';

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

type RunJob = Job<DispatchedRun>;

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

interface RunJobsWatch {
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

  /** @throws StartError when what is missing of the queue cannot be made. */
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
    await this.started.insert(QUEUE, [createJob(run)], { db: this.database.within(tx) });
  }

  async addMissing(runs: readonly DispatchedRun[]): Promise<void> {
    if (runs.length > 0) await this.started.insert(QUEUE, runs.map(createJob));
  }

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
      await this.started.insert(QUEUE, [{ ...createJob(job.data), startAfter }], { db });
    });
  }

  private get started(): PgBoss {
    if (!this.boss) throw new Error('the queue of eval runs is used before its start');
    return this.boss;
  }
}

const createJob = ({ projectId, id, orgId }: DispatchedRun) => ({
  data: { projectId, id, ...(orgId ? { orgId } : {}) },
  singletonKey: formatRunName({ projectId, id }),
  group: { id: projectId },
});

/**
 * The dispatch of many processes on one Postgres: a run is a job of pg-boss from its creation until it is over. The job is
 * active while a process works on the run; pg-boss gives it to another one when it hears nothing from that process.
 */
export class PgBossDispatch implements RunDispatch {
  private readonly jobs: RunJobs;
  private readonly held = new Map<string, { job: RunJob; through: Promise<void> }>();
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
    const name = formatRunName(job.data);
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
    const missing = runs.filter((run) => !this.held.has(formatRunName(run)));
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
