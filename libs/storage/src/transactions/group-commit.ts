import { isUnavailable, toDomainError } from '../storage-errors.js';
import { ReturningCallers } from './returning-callers.js';
import type { HookFailed } from './transaction-end.js';
import type { WriteTx } from './write-tx.js';

/** What became of one job: its answer, or the error its caller gets while the other jobs go on. */
export type Outcome<Answer> = { answer: Answer } | { error: unknown };

/** What a transaction did: one outcome a job. What is to follow its commit is left to `tx.end`. */
export interface Applied<Answer> {
  outcomes: readonly Outcome<Answer>[];
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
   * For jobs whose callers can wait a little: a transaction waits for so many jobs, {@link LINGER_MS_MAX} at most.
   * Fewer, larger transactions are cheaper.
   */
  expected?: () => number;
  /** Whether callers that are answered together are waited for, {@link RETURN_MS_MAX} at most, when they come back at once. */
  awaitsReturning?: boolean;
  /**
   * Whether a job is so large that others should not stand behind it: those that come within {@link YIELD_MS} go first,
   * and its transaction is its own. None is when left out.
   */
  isLarge?: (job: Job) => boolean;
  /**
   * Lets transactions run beside one another, where the database can do that; one at a time when left out. Jobs that do
   * not fill one wait for another such transaction, as more of them would cost more than they save, but not for a heavy
   * job.
   */
  beside?: {
    /** Transactions at once. */
    max: number;
    /** What a job changes that others wait for; jobs that have some of it in common never run beside one another. */
    touches: (job: Job) => readonly string[];
  };
  /** Told of every commit. @param jobs how many it made durable. */
  committed: (jobs: number) => void;
  /** Told when `expected` or `committed` throws, which changes nothing for any job. */
  failed: HookFailed;
}

/** Rows one transaction takes where nothing else is said. */
const ROWS_MAX = 256;

/** Milliseconds a transaction waits for more requests while they keep coming. */
const GATHER_MS_MAX = 2;

/** Milliseconds a transaction waits for requests that are expected. */
const LINGER_MS_MAX = 5;

/** Milliseconds a transaction waits for callers that the one before it has answered. */
const RETURN_MS_MAX = 3;

/** Milliseconds after its own arrival in which jobs still go before a large one. */
const YIELD_MS = 25;

interface Waiting<Job, Answer> {
  job: Job;
  rows: number;
  large: boolean;
  /** Jobs go in this order; of the same moment, in the order in which they came. */
  due: number;
  touches: readonly string[];
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives while a commit runs goes into the next transaction, and every job is answered when its own
 * commit is durable (docs/adr/0002-group-commit.md). A transaction lost to one poisonous job is repeated job by job, so
 * that the others are not hurt; one lost to the database is {@link Unavailable} for all of them. Whatever the functions
 * it is given do, every job is answered and the next transaction begins.
 */
export class GroupCommit<Job, Answer> {
  private waiting: Waiting<Job, Answer>[] = [];
  private rowsWaiting = 0;
  /** Transactions that run, or are about to. */
  private readonly running = new Set<Promise<void>>();
  /** How many of them do a job heavier than {@link rowsMax}. */
  private heavy = 0;
  /** What the transactions that run touch. */
  private readonly touched = new Set<string>();
  /** Jobs are being waited for; the next transaction takes them all. */
  private gathering = false;
  /** Ends the wait for expected jobs. */
  private enough: (() => void) | undefined;
  private readonly rowsMax: number;
  private readonly returning: ReturningCallers | undefined;

  constructor(private readonly options: GroupCommitOptions<Job, Answer>) {
    this.rowsMax = options.rowsMax ?? ROWS_MAX;
    this.returning = options.awaitsReturning ? new ReturningCallers() : undefined;
  }

  /** Queues a job. @returns its answer once it is durable. @throws the job's own error, or {@link Unavailable}. */
  submit(job: Job): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const rows = Math.min(this.options.weigh(job), this.rowsMax + 1);
      const touches = this.options.beside?.touches(job) ?? [];
      const large = this.options.isLarge?.(job) ?? false;
      const due = performance.now() + (large ? YIELD_MS : 0);
      const place = this.waiting.findLastIndex((other) => other.due <= due) + 1;
      this.waiting.splice(place, 0, { job, rows, large, due, touches, resolve, reject });
      this.rowsWaiting += rows;
      this.returning?.comes();
      this.begin();
      if (this.enough && !this.expectsMore()) this.enough();
    });
  }

  /** How many jobs wait for a commit to take them. */
  get waitingJobs(): number {
    return this.waiting.length;
  }

  /** Resolves when everything submitted so far is answered. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Begins transactions that are due. */
  private begin(): void {
    if (this.gathering || this.waiting.length === 0 || this.running.size >= (this.options.beside?.max ?? 1)) return;
    if (this.running.size === this.heavy) {
      if (this.fitting().count > 0) this.track(this.gatherAndRun());
    } else if (this.rowsWaiting >= this.rowsMax) {
      const { count, full } = this.fitting();
      if (full) this.track(this.run(this.take(count)));
    }
  }

  private track(run: Promise<void>): void {
    const tracked = run.finally(() => {
      this.running.delete(tracked);
      this.begin();
    });
    this.running.add(tracked);
  }

  private async gatherAndRun(): Promise<void> {
    this.gathering = true;
    try {
      await this.gather();
    } finally {
      this.gathering = false;
    }
    const running = this.run(this.take(this.fitting().count));
    this.begin();
    await running;
  }

  private async run(batch: readonly Waiting<Job, Answer>[]): Promise<void> {
    const touched = batch.flatMap(({ touches }) => touches);
    const heavy = batch.some(({ rows }) => rows > this.rowsMax) ? 1 : 0;
    this.heavy += heavy;
    for (const name of touched) this.touched.add(name);
    try {
      await this.commit(batch);
    } catch (error) {
      // A fault of ours on the way to the answers: jobs that have one keep it.
      for (const { reject } of batch) reject(error);
    } finally {
      this.heavy -= heavy;
      for (const name of touched) this.touched.delete(name);
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
    if (!this.expectsMore()) return;
    await this.linger(this.returning ? RETURN_MS_MAX : LINGER_MS_MAX);
    // A turn that brought the last of them brings others.
    if (this.returning) await nextTurn();
  }

  private expectsMore(): boolean {
    if (this.returning) return this.rowsWaiting < this.rowsMax && this.returning.expected > 0;
    return this.waiting.length < (this.attempt(() => this.options.expected?.()) ?? 0);
  }

  private async linger(msMax: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, msMax);
      this.enough = () => (clearTimeout(timer), resolve());
    });
    this.enough = undefined;
  }

  /**
   * How many of the waiting jobs the next transaction takes, in order, up to the first that a running one is in the way
   * of. `full`: it has room for no more.
   */
  private fitting(): { count: number; full: boolean } {
    let rows = 0;
    let count = 0;
    for (const next of this.waiting) {
      if (next.touches.some((name) => this.touched.has(name))) return { count, full: false };
      if (next.large) return { count: Math.max(count, 1), full: true };
      rows += next.rows;
      if (rows > this.rowsMax) return { count: Math.max(count, 1), full: true };
      count++;
    }
    return { count, full: rows === this.rowsMax };
  }

  private take(count: number): Waiting<Job, Answer>[] {
    const batch = this.waiting.splice(0, count);
    for (const { rows } of batch) this.rowsWaiting -= rows;
    return batch;
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
    this.attempt(() => this.options.committed(batch.length));
    this.returning?.answers(batch.length);
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = applied.outcomes[index];
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

/** Lets requests come in: what has arrived by then joins the next transaction. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
