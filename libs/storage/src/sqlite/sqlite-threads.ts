import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { codeFile } from '@spandrel/kernel';
import type Database from 'better-sqlite3';
import type { LongReadOptions } from '../backend.js';
import { ReadPermits } from '../read-permits.js';
import type { RenderedSql } from '../statements/sql.js';

interface Reply {
  rows?: unknown[];
  error?: { message: string; code?: string };
}

interface Thread {
  worker: Worker;
  /** Called with what became of the query that it works on. */
  settle: ((reply: Reply) => void) | undefined;
}

class ReadError extends Error {
  override readonly name = 'ReadError';
  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/**
 * Threads that read while the main thread goes on, one query each; patient ones never take the last. A thread that dies
 * fails its query and is replaced with the next one.
 */
export class ReadWorkers {
  private readonly threads: Thread[] = [];
  private readonly permits: ReadPermits;
  private readonly closing = new AbortController();

  constructor(
    private readonly file: string,
    threadsMax = 2,
  ) {
    this.permits = new ReadPermits(threadsMax, null);
  }

  get waiting(): number {
    return this.permits.waiting;
  }

  /** @throws the signal's reason when it fires first; a query still waiting is then not run. */
  async run(query: RenderedSql, { signal, patient = false }: LongReadOptions = {}): Promise<unknown[]> {
    const until = signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
    const leave = await this.permits.take({ signal: until, patient });
    if (signal?.aborted) {
      leave();
      throw signal.reason;
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    const abandon = (): void => reject(signal!.reason);
    signal?.addEventListener('abort', abandon, { once: true });
    const thread = this.threads.find(({ settle }) => !settle) ?? this.start();
    thread.settle = ({ rows = [], error }) => {
      thread.settle = undefined;
      signal?.removeEventListener('abort', abandon);
      if (error) reject(new ReadError(error.message, error.code));
      else resolve(rows);
      leave();
    };
    thread.worker.postMessage(query);
    return promise;
  }

  async close(): Promise<void> {
    this.closing.abort(new ReadError('the database is closed', 'SQLITE_CANTOPEN'));
    // Queries that have a permit are with their threads by then.
    await nextTurn();
    await Promise.all(this.threads.splice(0).map(({ worker }) => endThread(worker)));
  }

  private start(): Thread {
    const worker = startThread('read-worker', this.file);
    const thread: Thread = { worker, settle: undefined };
    const lose = (error: NonNullable<Reply['error']>): void => {
      const index = this.threads.indexOf(thread);
      if (index !== -1) this.threads.splice(index, 1);
      thread.settle?.({ error });
    };
    worker.on('message', (reply: Reply) => thread.settle?.(reply));
    worker.on('error', (error: NodeJS.ErrnoException) => lose(error as NonNullable<Reply['error']>));
    worker.on('exit', () => lose({ message: 'a read thread ended', code: 'SQLITE_CANTOPEN' }));
    this.threads.push(thread);
    return thread;
  }
}

function startThread(name: 'read-worker' | 'checkpoint', file: string): Worker {
  const workerData = { file, timeoutMs: 5_000 };
  const worker = new Worker(codeFile(`libs/storage/src/sqlite/${name}.thread.ts`), { workerData, execArgv: [] });
  worker.unref();
  return worker;
}

/**
 * Ends a thread that holds a connection, once it has done what it was asked before. `terminate()` while it loads the
 * driver's native module would abort the whole process. @param worker a thread that has not ended.
 */
async function endThread(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  // The end is waited for: without this the process could run out of work before.
  worker.ref();
  worker.postMessage('end');
  await ended;
}

/** Pages of 16 KiB in the write-ahead log that begin a checkpoint. */
export const CHECKPOINT_PAGES = 600;

/** Milliseconds between two looks at the log: a look costs as much as a tenth of a small commit. */
const LOOK_MS = 50;

/** Milliseconds after a checkpoint that failed, on a full disk for instance, until the next. */
const FAILURE_PAUSE_MS = 5_000;

interface LogState {
  log: number;
  checkpointed: number;
}

/**
 * Copies the write-ahead log into the database in a thread of its own: it held the committing thread for 20 to 45 ms.
 * What is committed meanwhile is copied here, as the log begins again only when the database has all of it; commits to
 * a log that grows cost three times as much.
 */
export class Checkpoints {
  private worker: Worker | undefined;
  private readonly look;
  private readonly copy;
  private lookAt = 0;
  private running = false;
  /** Pages of the log when the thread had copied them. */
  private copied: number | undefined;

  constructor(
    private readonly file: string,
    writer: Database.Database,
  ) {
    this.look = writer.prepare('pragma wal_checkpoint(noop)');
    this.copy = writer.prepare('pragma wal_checkpoint(passive)');
  }

  /** Called after every commit, outside of transactions. Never throws: a log that is not copied is only longer. */
  afterCommit(): void {
    try {
      if (this.copied !== undefined) this.finish(this.copied);
      else if (!this.running && performance.now() >= this.lookAt) this.start();
    } catch {
      this.pause();
    }
  }

  async close(): Promise<void> {
    this.lookAt = Infinity;
    if (this.worker) await endThread(this.worker);
  }

  private start(): void {
    this.lookAt = performance.now() + LOOK_MS;
    const { log, checkpointed } = this.look.get() as LogState;
    if (log - checkpointed < CHECKPOINT_PAGES) return;
    this.worker ??= this.startThread();
    this.running = true;
    this.worker.postMessage('copy');
  }

  /** Copies what is left, unless the log has begun again. The database has grown by then. */
  private finish(copied: number): void {
    this.copied = undefined;
    const { log, checkpointed } = this.look.get() as LogState;
    if (log >= copied && log > checkpointed) this.copy.get();
  }

  private startThread(): Worker {
    const worker = startThread('checkpoint', this.file);
    worker.on('message', ({ log }: LogState) => {
      this.running = false;
      this.copied = log;
    });
    worker.on('error', () => this.pause());
    worker.on('exit', () => {
      this.worker = undefined;
      this.running = false;
    });
    return worker;
  }

  private pause(): void {
    this.lookAt = performance.now() + FAILURE_PAUSE_MS;
  }
}
