import { Worker } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { codeFile } from '@spandrel/kernel';
import { endThread } from './read-workers.js';

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
    const worker = new Worker(codeFile('libs/storage/src/sqlite/checkpoint.thread.ts'), {
      workerData: { file: this.file, timeoutMs: 5_000 },
      execArgv: [],
    });
    worker.unref();
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
