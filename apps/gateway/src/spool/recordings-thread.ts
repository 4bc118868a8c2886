import { Worker } from 'node:worker_threads';
import { codeFile } from '@spandrel/kernel';
import type {
  RecordingsFileOptions,
  RecordingsFunctions,
  RecordingsReply,
  RecordingsRequest,
} from './recordings-file.thread.js';

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * Calls the functions of the thread that has the file of a spool directory, in order. A pool of threads with deadlines
 * (`TaskPool`) costs three times as much a call, and one that is ended cannot finish its transaction.
 */
export class RecordingsThread {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private readonly ended: Promise<void>;
  private number = 0;
  private failure: Error | null = null;

  constructor(options: RecordingsFileOptions) {
    this.worker = new Worker(codeFile('apps/gateway/src/spool/recordings-file.thread.ts'), {
      workerData: options,
      execArgv: [],
    });
    this.worker.unref();
    this.worker.on('message', (reply: RecordingsReply) => this.settle(reply));
    this.worker.on('error', (error) => this.fail(error as Error));
    this.ended = new Promise((resolve) => {
      this.worker.on('exit', () => {
        this.fail(new Error('the thread of the spool directory ended'));
        resolve();
      });
    });
  }

  /**
   * Calls a function of the thread.
   * @throws Error with the message of what it throws, or when the thread has ended.
   */
  run<Name extends keyof RecordingsFunctions>(
    name: Name,
    ...[input]: Parameters<RecordingsFunctions[Name]>
  ): Promise<ReturnType<RecordingsFunctions[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.failure) {
        reject(this.failure);
        return;
      }
      this.waiting.set(++this.number, { resolve: resolve as Waiting['resolve'], reject });
      this.worker.ref();
      this.worker.postMessage({ number: this.number, name, input } satisfies RecordingsRequest);
    });
  }

  /** Lets go of the file and ends the thread. @param withinMs after this a thread that hangs is ended as it is. */
  async close(withinMs: number): Promise<void> {
    const timer = setTimeout(() => void this.worker.terminate(), withinMs);
    await this.run('close').catch(() => undefined);
    await this.ended;
    clearTimeout(timer);
  }

  private settle({ number, result, error }: RecordingsReply): void {
    const waiting = this.waiting.get(number);
    this.waiting.delete(number);
    if (this.waiting.size === 0) this.worker.unref();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}
