import { isUnavailable, toDomainError } from './storage-errors.js';
import type { WriteTx } from './write-tx.js';

/** What became of one job: its answer, or the error its caller gets while the other jobs go on. */
export type Outcome<Answer> = { answer: Answer } | { error: unknown };

/** What a transaction did: one outcome a job, and what is to happen once it is durable. */
export interface Applied<Answer> {
  outcomes: readonly Outcome<Answer>[];
  /** Called before the jobs are answered; must not throw. */
  afterCommit?: () => void;
}

export interface GroupCommitOptions<Job, Answer> {
  /** Runs one transaction on the writer, with retries that cannot double it. */
  transaction: <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>;
  /** Does the jobs in order. Throws only when the whole transaction is lost; it is then done again, job by job. */
  apply: (tx: WriteTx, jobs: readonly Job[]) => Promise<Applied<Answer>>;
  /** Rows a job writes, about. */
  weigh: (job: Job) => number;
  /** Rows one transaction takes, about; a heavier job gets its own. */
  rowsMax?: number;
  /**
   * For jobs whose callers can wait a little: a transaction waits for so many jobs, {@link LINGER_MS_MAX} at most. Fewer,
   * larger transactions are cheaper.
   */
  expected?: () => number;
  /** Told of every commit. @param jobs how many it made durable. */
  committed?: (jobs: number) => void;
}

/** Milliseconds a transaction waits for more requests while they keep coming. */
const GATHER_MS_MAX = 2;

/** Milliseconds a transaction waits for requests that are expected. */
const LINGER_MS_MAX = 5;

interface Waiting<Job, Answer> {
  job: Job;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives while a commit runs goes into the next transaction, and every job is answered when its own
 * commit is durable (architecture "Storage", performance.md). A transaction lost to one poisonous job is repeated job
 * by job, so that the others are not hurt; one lost to the database is {@link Unavailable} for all of them.
 */
export class GroupCommit<Job, Answer> {
  private waiting: Waiting<Job, Answer>[] = [];
  private running: Promise<void> | undefined;
  /** Ends the wait for expected jobs. */
  private enough: (() => void) | undefined;

  constructor(private readonly options: GroupCommitOptions<Job, Answer>) {}

  /** Queues a job. @returns its answer once it is durable. @throws the job's own error, or {@link Unavailable}. */
  submit(job: Job): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      this.running ??= this.run();
      if (this.enough && !this.expectsMore()) this.enough();
    });
  }

  /** How many jobs wait for a commit to take them. */
  get waitingJobs(): number {
    return this.waiting.length;
  }

  /** Resolves when everything submitted so far is answered. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        await this.gather();
        await this.commit(this.takeBatch());
      }
    } finally {
      this.running = undefined;
    }
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
    return this.waiting.length < (this.options.expected?.() ?? 0);
  }

  private async linger(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LINGER_MS_MAX);
      this.enough = () => (clearTimeout(timer), resolve());
    });
    this.enough = undefined;
  }

  private takeBatch(): Waiting<Job, Answer>[] {
    const rowsMax = this.options.rowsMax ?? 256;
    let rows = 0;
    let count = 0;
    for (const { job } of this.waiting) {
      rows += this.options.weigh(job);
      if (count > 0 && rows > rowsMax) break;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private async commit(batch: readonly Waiting<Job, Answer>[]): Promise<void> {
    const jobs = batch.map(({ job }) => job);
    let applied: Applied<Answer>;
    try {
      applied = await this.options.transaction((tx) => this.options.apply(tx, jobs));
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) {
        for (const one of batch) await this.commit([one]);
      } else {
        const reason = toDomainError(error);
        for (const { reject } of batch) reject(reason);
      }
      return;
    }
    this.options.committed?.(batch.length);
    applied.afterCommit?.();
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = applied.outcomes[index];
      if (outcome && 'answer' in outcome) resolve(outcome.answer);
      else reject(outcome?.error ?? new Error('a job was left without an outcome'));
    }
  }
}

/** Lets requests come in: what has arrived by then joins the next transaction. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
