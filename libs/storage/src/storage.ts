import { setTimeout as pause } from 'node:timers/promises';
import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql';
import type { Backend, LongReadOptions } from './backend.js';
import { GroupCommit, type GroupCommitOptions } from './group-commit.js';
import { SerialQueue } from './serial-queue.js';
import type { Dialect, Sql } from './sql.js';
import { isConnectionLost, isTransient, toDomainError } from './storage-errors.js';
import type { WriteTx } from './write-tx.js';

const TRANSIENT_ATTEMPTS_MAX = 6;
const RECONNECT_BUDGET_MS = 5_000;
const RECONNECT_PAUSE_MS = 200;

/**
 * The database of this process. Reads see committed rows only; every write goes through {@link write} or a
 * {@link groupCommit}, which share one writer, so that transactions of one process never interleave on SQLite.
 *
 * Database errors leave here as the kernel's `Unavailable`; nothing of a failed transaction is kept.
 */
export class Storage {
  private readonly queue = new SerialQueue();
  private readonly groups: GroupCommit<never, unknown>[] = [];

  constructor(
    private readonly backend: Backend,
    private readonly orm: MikroORM,
  ) {}

  get dialect(): Dialect {
    return this.backend.dialect;
  }

  /** Whether no other process can be on this database: what an earlier one left is then nobody's. */
  get exclusive(): boolean {
    return this.backend.dialect === 'sqlite';
  }

  /**
   * Runs `work` in a transaction of its own; durable when the promise resolves.
   * @param work may be run again from the start when the transaction was lost without having been committed, so it must
   *   not keep state of its own. Must not call `write` itself: the writer is taken.
   */
  async write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    try {
      return await this.transaction(work);
    } catch (error) {
      throw toDomainError(error);
    }
  }

  /** A group commit on the writer. */
  groupCommit<Job, Answer>(options: Omit<GroupCommitOptions<Job, Answer>, 'transaction'>): GroupCommit<Job, Answer> {
    const group = new GroupCommit<Job, Answer>({ ...options, transaction: (work) => this.transaction(work) });
    this.groups.push(group as unknown as GroupCommit<never, unknown>);
    return group;
  }

  /** Reads by key, quickly. On SQLite this holds up the event loop: no scans. */
  async read<Row>(query: Sql): Promise<Row[]> {
    try {
      return await this.backend.read<Row>(query);
    } catch (error) {
      throw toDomainError(error);
    }
  }

  /** Reads that may take long: lists, searches, exports. On SQLite in a thread of their own. */
  async readLong<Row>(query: Sql, options?: LongReadOptions): Promise<Row[]> {
    try {
      return await this.backend.readLong<Row>(query, options);
    } catch (error) {
      throw toDomainError(error);
    }
  }

  /** An entity manager for reads by ordinary paths; writes go through {@link write} and its `tx.em`. */
  em(): SqlEntityManager {
    return this.orm.em.fork();
  }

  /** Resolves when every write accepted so far is done. */
  async drain(): Promise<void> {
    await Promise.all(this.groups.map((group) => group.idle()));
    await this.queue.idle();
  }

  /** Finishes the writes accepted so far and closes. Idempotent. */
  close(): Promise<void> {
    return (this.closing ??= this.drain().then(() => this.backend.close()));
  }
  private closing: Promise<void> | undefined;

  private transaction<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    const attempt = (): Promise<T> => this.attempt(work);
    return this.backend.dialect === 'sqlite' ? this.queue.run(attempt) : this.withRetries(attempt);
  }

  private async attempt<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    const { result, end } = await this.backend.transaction(async (tx) => {
      const done = await work(tx);
      await tx.end.reach();
      return { result: done, end: tx.end };
    });
    end.pass();
    return result;
  }

  /** Repeats what certainly was not committed: conflicts with other instances, and a restart of the database. */
  private async withRetries<T>(attempt: () => Promise<T>): Promise<T> {
    const reconnectUntil = Date.now() + RECONNECT_BUDGET_MS;
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt();
      } catch (error) {
        const conflict = isTransient(error) && attempts < TRANSIENT_ATTEMPTS_MAX;
        const reconnect = isConnectionLost(error) && Date.now() < reconnectUntil;
        if (!conflict && !reconnect) throw error;
        if (reconnect) await pause(RECONNECT_PAUSE_MS);
      }
    }
  }
}
