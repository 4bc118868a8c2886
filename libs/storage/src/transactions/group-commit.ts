import { isUnavailable, toDomainError } from '../storage-errors.js';
import type { HookFailed, WriteTx } from './write-tx.js';

/** Runs asynchronous tasks one after the other, in the order they came. */
export class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private unfinished = 0;

  get waiting(): number {
    return Math.max(0, this.unfinished - 1);
  }

  /** @returns what the task returns. A task that fails does not stop those behind it. */
  run<T>(task: () => Promise<T>): Promise<T> {
    this.unfinished++;
    const result = this.tail.then(task);
    this.tail = result.then(this.finish, this.finish);
    return result;
  }

  private readonly finish = (): void => void this.unfinished--;

  async idle(): Promise<void> {
    await this.tail;
  }
}

/** What became of one job: its answer, or the error its caller gets while the other jobs go on. */
export type Outcome<Answer> = { answer: Answer } | { error: unknown };

export interface GroupCommitOptions<Job, Answer> {
  /** Runs one transaction on the writer, with retries that cannot double it. */
  transaction: <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>;
  /** Whether the database takes one transaction at a time. */
  hasOneWriter: boolean;
  /**
   * Does the jobs in order, with one outcome for each; what is to follow the commit is left to `tx.end`. Throws only when the
   * whole transaction is lost; it is then done again, job by job.
   */
  apply: (tx: WriteTx, jobs: readonly Job[]) => Promise<readonly Outcome<Answer>[]>;
  weigh: (job: Job) => number;
  rowsMax?: number;
  /** For jobs whose callers can wait: a transaction waits for so many jobs, {@link LINGER_MS_MAX} at most. */
  expected?: () => number;
  /**
   * Whether others should not stand behind a job. Its transaction is its own: beside the others where the database has
   * several writers, behind those that come within {@link YIELD_MS} where it has one.
   */
  isLarge?: (job: Job) => boolean;
  /** Called at every commit. @param jobs how many it made durable. */
  committed: (jobs: number) => void;
  /** Called when `expected` or `committed` throws, which changes nothing for any job. */
  failed: HookFailed;
}

const ROWS_MAX = 256;

/** Milliseconds a transaction waits for more requests while they keep coming. */
const GATHER_MS_MAX = 2;

const LINGER_MS_MAX = 5;

/** Milliseconds after its own arrival in which jobs still go before a large one. */
const YIELD_MS = 25;

interface Waiting<Job, Answer> {
  job: Job;
  rows: number;
  isLarge: boolean;
  /** Jobs go in this order; of the same moment, in the order in which they came. */
  due: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives while a commit runs goes into the next transaction, and every job is answered when its own
 * commit is durable (docs/adr/0002-group-commit.md). A transaction lost to one poisonous job is repeated job by job;
 * one lost to the database is {@link Unavailable} for all. Every job is answered.
 */
export class GroupCommit<Job, Answer> {
  private readonly waiting: Waiting<Job, Answer>[] = [];
  /** Commits what waits, for as long as something does. */
  private running: Promise<void> | undefined;
  /** Large jobs where others go on beside them. */
  private readonly beside = new SerialQueue();
  /** Ends the wait for expected jobs. */
  private enough: (() => void) | undefined;
  private readonly rowsMax: number;

  constructor(private readonly options: GroupCommitOptions<Job, Answer>) {
    this.rowsMax = options.rowsMax ?? ROWS_MAX;
  }

  /** Queues a job. @returns its answer once it is durable. @throws the job's own error, or {@link Unavailable}. */
  submit(job: Job): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const rows = this.options.weigh(job);
      const isLarge = this.options.isLarge?.(job) ?? false;
      const due = performance.now() + (isLarge ? YIELD_MS : 0);
      const waiting = { job, rows, isLarge, due, resolve, reject };
      if (isLarge && !this.options.hasOneWriter) {
        void this.beside.run(() => this.commit([waiting]));
        return;
      }
      const position = this.waiting.findLastIndex((other) => other.due <= due) + 1;
      this.waiting.splice(position, 0, waiting);
      this.running ??= this.run();
      if (this.enough && !this.expectsMore()) this.enough();
    });
  }

  get waitingJobs(): number {
    return this.waiting.length + this.beside.waiting;
  }

  async idle(): Promise<void> {
    await Promise.all([this.running, this.beside.idle()]);
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.gather();
      await this.commit(this.take());
    }
    this.running = undefined;
  }

  /** Lets requests come in for as long as every turn of the event loop brings some, within bounds. */
  private async gather(): Promise<void> {
    const deadline = performance.now() + GATHER_MS_MAX;
    let seen: number;
    do {
      seen = this.waiting.length;
      await nextTurn();
    } while (this.waiting.length > seen && performance.now() < deadline);
    if (this.expectsMore()) await this.linger();
  }

  private expectsMore(): boolean {
    return this.waiting.length < (this.attempt(() => this.options.expected?.()) ?? 0);
  }

  private async linger(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LINGER_MS_MAX);
      this.enough = () => (clearTimeout(timer), resolve());
    });
    this.enough = undefined;
  }

  private take(): Waiting<Job, Answer>[] {
    let rows = 0;
    const end = this.waiting.findIndex((next) => next.isLarge || (rows += next.rows) > this.rowsMax);
    return this.waiting.splice(0, end === -1 ? this.waiting.length : Math.max(end, 1));
  }

  /** Answers every job, whatever becomes of it. Never throws. */
  private async commit(batch: readonly Waiting<Job, Answer>[]): Promise<void> {
    const jobs = batch.map(({ job }) => job);
    let outcomes: readonly Outcome<Answer>[];
    try {
      outcomes = await this.options.transaction((tx) => this.options.apply(tx, jobs));
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) {
        for (const one of batch) await this.commit([one]);
      } else {
        const reason = toDomainError(error);
        for (const { reject } of batch) reject(reason);
      }
      return;
    }
    this.attempt(() => this.options.committed(batch.length));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome && 'answer' in outcome) resolve(outcome.answer);
      else reject(outcome?.error ?? new Error('a job was left without an outcome'));
    }
  }

  /** @returns what a hook returns, `undefined` when it throws. */
  private attempt<T>(hook: () => T): T | undefined {
    try {
      return hook();
    } catch (error) {
      this.options.failed(error);
      return undefined;
    }
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
