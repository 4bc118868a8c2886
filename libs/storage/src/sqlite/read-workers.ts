import { Worker } from 'node:worker_threads';
import { codeFile } from '@spandrel/kernel';
import type { LongReadOptions } from '../backend.js';
import type { RenderedSql } from '../statements/sql.js';

interface Pending {
  id: number;
  query: RenderedSql;
  patient: boolean;
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

interface Reply {
  id: number;
  rows?: unknown[];
  error?: { message: string; code?: string };
}

interface Thread {
  worker: Worker;
  current: Pending | undefined;
}

/** A query's error as its thread reported it. */
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
 * Threads that read while the main thread goes on (better-sqlite3 is synchronous). One query a thread at a time, the
 * rest waits in order; patient ones never take the last thread; a thread that dies fails its query and is replaced with the next one.
 */
export class ReadWorkers {
  private readonly threads: Thread[] = [];
  private readonly queue: Pending[] = [];
  private nextId = 1;
  private closed = false;

  constructor(
    private readonly file: string,
    private readonly threadsMax = 2,
  ) {}

  /** How many queries wait for a thread. */
  get waiting(): number {
    return this.queue.length;
  }

  /** @throws the signal's reason when it fires first; a query still waiting is then not run. */
  run(query: RenderedSql, { signal, patient = false }: LongReadOptions = {}): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.closed) return reject(new ReadError('the database is closed', 'SQLITE_CANTOPEN'));
      const pending: Pending = { id: this.nextId++, query, patient, resolve, reject };
      if (signal) this.abandonOnAbort(pending, signal);
      this.queue.push(pending);
      this.dispatch();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const pending of this.queue.splice(0))
      pending.reject(new ReadError('the database is closed', 'SQLITE_CANTOPEN'));
    await Promise.all(this.threads.splice(0).map(({ worker }) => endThread(worker)));
  }

  private abandonOnAbort(pending: Pending, signal: AbortSignal): void {
    const abort = (): void => {
      const index = this.queue.indexOf(pending);
      if (index !== -1) this.queue.splice(index, 1);
      pending.reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    const { resolve, reject } = pending;
    pending.resolve = (rows) => (signal.removeEventListener('abort', abort), resolve(rows));
    pending.reject = (error) => (signal.removeEventListener('abort', abort), reject(error));
  }

  private dispatch(): void {
    for (let next = this.next(); next !== -1; next = this.next()) {
      const thread = this.threads.find(({ current }) => current === undefined) ?? this.start();
      if (!thread) return;
      const [pending] = this.queue.splice(next, 1);
      thread.current = pending;
      thread.worker.postMessage({ id: pending!.id, ...pending!.query });
    }
  }

  /** Which query is next: the first, or the first that is not patient while the patient ones have their threads. */
  private next(): number {
    const patient = this.threads.filter(({ current }) => current?.patient).length;
    return patient < Math.max(1, this.threadsMax - 1)
      ? Math.min(0, this.queue.length - 1)
      : this.queue.findIndex((pending) => !pending.patient);
  }

  private start(): Thread | undefined {
    if (this.threads.length >= this.threadsMax) return undefined;
    const worker = new Worker(codeFile('libs/storage/src/sqlite/read-worker.thread.ts'), {
      workerData: { file: this.file, timeoutMs: 5_000 },
      execArgv: [],
    });
    const thread: Thread = { worker, current: undefined };
    worker.unref();
    worker.on('message', (reply: Reply) => this.settle(thread, reply));
    worker.on('error', (error) => this.lose(thread, error));
    worker.on('exit', () => this.lose(thread, new ReadError('a read thread ended', 'SQLITE_CANTOPEN')));
    this.threads.push(thread);
    return thread;
  }

  private settle(thread: Thread, reply: Reply): void {
    const pending = thread.current;
    thread.current = undefined;
    if (reply.error) pending?.reject(new ReadError(reply.error.message, reply.error.code));
    else pending?.resolve(reply.rows ?? []);
    this.dispatch();
  }

  private lose(thread: Thread, error: unknown): void {
    const index = this.threads.indexOf(thread);
    if (index !== -1) this.threads.splice(index, 1);
    thread.current?.reject(error);
    thread.current = undefined;
    if (!this.closed) this.dispatch();
  }
}

/**
 * Ends a thread that holds a connection, once it has done what it was asked before.
 *
 * It ends by itself, on the message `end`. `terminate()` in the moment in which the thread loads the driver's native module
 * aborts the whole process (`FATAL ERROR: Error::New napi_get_last_error_info`), and state that a terminated thread was sending
 * arrives as `undefined`.
 * @param worker a thread that has not ended.
 */
export async function endThread(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  // The end is waited for: without this the process could run out of work before.
  worker.ref();
  worker.postMessage('end');
  await ended;
}
