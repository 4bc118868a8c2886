import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { codeFile } from '@spandrel/kernel';
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
    const worker = new Worker(codeFile('libs/storage/src/sqlite/read-worker.thread.ts'), {
      workerData: { file: this.file, timeoutMs: 5_000 },
      execArgv: [],
    });
    const thread: Thread = { worker, settle: undefined };
    const lose = (error: NonNullable<Reply['error']>): void => {
      const index = this.threads.indexOf(thread);
      if (index !== -1) this.threads.splice(index, 1);
      thread.settle?.({ error });
    };
    worker.unref();
    worker.on('message', (reply: Reply) => thread.settle?.(reply));
    worker.on('error', (error: NodeJS.ErrnoException) => lose(error as NonNullable<Reply['error']>));
    worker.on('exit', () => lose({ message: 'a read thread ended', code: 'SQLITE_CANTOPEN' }));
    this.threads.push(thread);
    return thread;
  }
}

/**
 * Ends a thread that holds a connection, once it has done what it was asked before. `terminate()` while it loads the
 * driver's native module would abort the whole process. @param worker a thread that has not ended.
 */
export async function endThread(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  // The end is waited for: without this the process could run out of work before.
  worker.ref();
  worker.postMessage('end');
  await ended;
}
