import { setTimeout as pause } from 'node:timers/promises';
import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql';
import { backoff, Unavailable, type Logger } from '@spandrel/kernel';
import type { Backend, LongReadOptions } from './backend.js';
import { GroupCommit, type GroupCommitOptions, SerialQueue } from './transactions/group-commit.js';
import { checkedRows, type Query } from './statements/row-shape.js';
import type { Dialect } from './statements/sql.js';
import { isAway, isTimeout, isTransient, isUnavailable, toDomainError } from './storage-errors.js';
import type { FailingHook, StorageMetrics } from './storage-metrics.js';
import {
  type Reader,
  type TransactionEnd,
  type WriteTx,
  TRANSACTION_IDLE_MS_MAX,
  TransactionGivenUp,
} from './transactions/write-tx.js';

/** How often a transaction is begun again after a conflict, and for how long while the database is away. */
const TRANSIENT_ATTEMPTS_MAX = 8;
const RECONNECT_BUDGET_MS = 5_000;
/** Pauses double from here on, half of each by chance, so that those who collided do not do so again. */
const CONFLICT_PAUSE_MS = 4;
const CONFLICT_PAUSE_MS_MAX = 250;
const RECONNECT_PAUSE_MS = 50;
const RECONNECT_PAUSE_MS_MAX = 500;

/** How long a transaction that committed shows that the next one can, and one that failed that it cannot. */
const COMMIT_SHOWS_MS = 1_000;
const FAILURE_SHOWS_MS = 5_000;

export interface StorageParts {
  metrics: StorageMetrics;
  logger: Logger;
  transactionIdleMs?: number;
}

/**
 * The database of this process. Reads see committed rows only; writes share one writer on SQLite. Its errors leave here
 * as the kernel's `Unavailable`; nothing of a failed transaction is kept.
 */
export class Storage {
  private readonly queue = new SerialQueue();
  private readonly groups: GroupCommit<never, unknown>[] = [];
  /** When a transaction was committed, and when one was lost to the database; on the clock of `performance.now()`. */
  private committedAt = -Infinity;
  private failedAt = -Infinity;
  private readonly metrics: StorageMetrics;

  constructor(
    private readonly backend: Backend,
    private readonly orm: MikroORM,
    private readonly parts: StorageParts,
  ) {
    this.metrics = parts.metrics;
    this.metrics.watch({
      writesWaiting: () => this.groups.reduce((sum, group) => sum + group.waitingJobs, this.queue.waiting),
      backend: () => backend.state(),
      size: () => backend.size(),
    });
  }

  get dialect(): Dialect {
    return this.backend.dialect;
  }

  /** Whether no other process can be on this database: what an earlier one left is then nobody's. */
  get exclusive(): boolean {
    return this.backend.dialect === 'sqlite';
  }

  /**
   * Runs `work` in a transaction of its own; durable when the promise resolves.
   * @param work may be run again from the start, so it must not keep state. Must not call `write` itself.
   */
  async write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    try {
      return await this.transaction(work);
    } catch (error) {
      throw toDomainError(error);
    }
  }

  groupCommit<Job, Answer>(
    options: Omit<GroupCommitOptions<Job, Answer>, 'transaction' | 'hasOneWriter' | 'committed' | 'failed'>,
  ): GroupCommit<Job, Answer> {
    const group = new GroupCommit<Job, Answer>({
      ...options,
      transaction: (work) => this.transaction(work),
      hasOneWriter: this.exclusive,
      committed: (jobs) => this.metrics.jobs.observe(jobs),
      failed: (error) => this.hookFailed('group_commit', error),
    });
    this.groups.push(group as unknown as GroupCommit<never, unknown>);
    return group;
  }

  /** Reads by key, quickly. On SQLite this holds up the event loop: no scans. */
  async read<Row>(query: Query<Row>): Promise<Row[]> {
    try {
      const rows = await this.repeated(() => this.backend.read(query));
      return checkedRows(query, rows, this.dialect);
    } catch (error) {
      throw toDomainError(error);
    }
  }

  /** Reads that may take long: lists, searches, exports. On SQLite in a thread of their own. */
  async readLong<Row>(query: Query<Row>, options?: LongReadOptions): Promise<Row[]> {
    const began = performance.now();
    try {
      const rows = await this.repeated(() => this.backend.readLong(query, options));
      return checkedRows(query, rows, this.dialect);
    } catch (error) {
      throw toDomainError(error);
    } finally {
      this.metrics.longReads.observe((performance.now() - began) / 1_000);
    }
  }

  /** What reads like a transaction: quickly by key, or, with options, what may take long. */
  reads(options?: LongReadOptions): Reader {
    return {
      dialect: this.dialect,
      all: (query) => (options ? this.readLong(query, options) : this.read(query)),
    };
  }

  /**
   * Whether requests can be served: the last write was not lost just now, and the database can be used. @throws
   * Unavailable
   */
  async check(): Promise<void> {
    const now = performance.now();
    const lastFailed = this.failedAt > this.committedAt;
    if (lastFailed && now - this.failedAt < FAILURE_SHOWS_MS)
      throw new Unavailable('the database could not be written a moment ago; try again soon');
    if (!lastFailed && now - this.committedAt < COMMIT_SHOWS_MS) return;
    try {
      await this.backend.check();
    } catch (error) {
      throw new Unavailable('the database cannot be reached or used; try again soon', { cause: error });
    }
  }

  /** Reads committed entities by key, quickly. @param work gets an entity manager; may be run again from the start. */
  async find<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.repeated(() => work(this.em()));
    } catch (error) {
      throw toDomainError(error);
    }
  }

  /** An entity manager outside any transaction, for tools that need the ORM itself; reads use {@link find}. */
  em(): SqlEntityManager {
    return this.orm.em.fork();
  }

  /** Resolves when every write accepted so far is done. */
  async drain(): Promise<void> {
    await Promise.all(this.groups.map((group) => group.idle()));
    await this.queue.idle();
  }

  close(): Promise<void> {
    return (this.closing ??= this.drain().then(() => this.backend.close()));
  }
  private closing: Promise<void> | undefined;

  private transaction<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    const attempt = (): Promise<T> => this.attempt(work);
    return this.backend.dialect === 'sqlite' ? this.queue.run(attempt) : this.withRetries(attempt);
  }

  /** Repeats a read that found the database away; on SQLite it never is. */
  private repeated<T>(attempt: () => Promise<T>): Promise<T> {
    return this.backend.dialect === 'sqlite' ? attempt() : this.withRetries(attempt);
  }

  private async attempt<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    const began = performance.now();
    const { result, end } = await this.commit(work, began);
    this.committedAt = performance.now();
    this.metrics.transaction('committed', this.committedAt - began);
    end.pass((error) => this.hookFailed('after_commit', error));
    return result;
  }

  /** Does the work and commits it. What follows the commit is none of its business: it can no longer undo anything. */
  private async commit<T>(
    work: (tx: WriteTx) => Promise<T>,
    began: number,
  ): Promise<{ result: T; end: TransactionEnd }> {
    const idleMs = this.parts.transactionIdleMs ?? TRANSACTION_IDLE_MS_MAX;
    try {
      return await this.backend.transaction((tx) =>
        tx.watch.run(async () => {
          const result = await work(tx);
          await tx.flush();
          await this.reach(tx.end);
          await tx.flush();
          return { result, end: tx.end };
        }, idleMs),
      );
    } catch (error) {
      const now = performance.now();
      const failed = isUnavailable(error);
      if (error instanceof TransactionGivenUp) this.hookFailed('never_returned', error);
      else if (failed && !isTimeout(error)) this.failedAt = now;
      this.metrics.transaction(failed ? 'failed' : 'refused', now - began);
      throw error;
    }
  }

  /** Runs what comes last in a transaction; a failure that is not the database's is counted as a fault of the program. */
  private async reach(end: TransactionEnd): Promise<void> {
    try {
      await end.reach();
    } catch (error) {
      if (!isUnavailable(error) && !isTransient(error)) this.hookFailed('before_commit', error);
      throw error;
    }
  }

  private hookFailed(hook: FailingHook, error: unknown): void {
    this.metrics.hookFailures.inc({ hook });
    this.parts.logger.error({ err: error, hook }, HOOK_FAILURES[hook]);
  }

  /** Repeats what certainly was not committed: conflicts with other instances, a restart or failover of the database. */
  private async withRetries<T>(attempt: () => Promise<T>): Promise<T> {
    const reconnectUntil = performance.now() + RECONNECT_BUDGET_MS;
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt();
      } catch (error) {
        const conflict = isTransient(error) && attempts < TRANSIENT_ATTEMPTS_MAX;
        const reconnect = isAway(error) && performance.now() < reconnectUntil;
        if (!conflict && !reconnect) throw error;
        this.metrics.retries.inc({ reason: conflict ? 'conflict' : 'reconnect' });
        await pause(
          conflict
            ? backoff(attempts, CONFLICT_PAUSE_MS, CONFLICT_PAUSE_MS_MAX)
            : backoff(attempts, RECONNECT_PAUSE_MS, RECONNECT_PAUSE_MS_MAX),
        );
      }
    }
  }
}

const HOOK_FAILURES: Record<FailingHook, string> = {
  before_commit: 'a hook before a commit failed: its transaction was rolled back',
  after_commit: 'a hook after a commit failed: the commit stands',
  never_returned: 'the work of a transaction did not go on: it was rolled back',
  group_commit: 'a hook of a group commit failed: no job is hurt',
};
