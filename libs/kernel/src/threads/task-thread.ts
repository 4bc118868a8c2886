import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { PACKAGE } from '../package-root.js';

export interface TaskThreadOptions {
  /** The file whose exported functions are the tasks, as {@link codeFile} names it. */
  readonly file: string;
  /** `workerData` of each thread; whatever structured clone takes. */
  readonly data: unknown;
  readonly heapMb: number;
  readonly idleMs: number;
}

/** Where cores are few, the thread that answers everybody comes first: a third of its share is left for each of these. */
const NICE = 5;

/** What a thread runs its sources with: nothing where they are built; sources, which tests run, are compiled as they load. */
const SOURCES_ARGUMENTS =
  PACKAGE.code === PACKAGE.root
    ? ['--import', pathToFileURL(join(PACKAGE.root, 'scripts/load-typescript.mjs')).href]
    : [];

/**
 * A thread that runs one task at a time. It starts with the first one, ends when it has had none for a while, and is replaced
 * when it was ended by a deadline. A piscina of one thread: in a larger one nobody can say which task a starting thread is for.
 */
export class TaskThread {
  private readonly piscina: Piscina;
  /** Called when a thread is ready, and when one could not start. */
  private starting: PromiseWithResolvers<void> | undefined;

  constructor({ file, data, heapMb, idleMs }: TaskThreadOptions) {
    this.piscina = new Piscina({
      filename: file,
      workerData: data,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: SOURCES_ARGUMENTS,
      recordTiming: false,
      niceIncrement: NICE,
      // A thread that waits for a message runs its timers too.
      atomics: 'disabled',
    });
    this.piscina.on('workerCreate', () => this.starting?.resolve());
    // A thread that fails without a task: while it starts, or when it is idle.
    this.piscina.on('error', (error) => this.starting?.reject(error));
  }

  /** Whether a task would begin at once. */
  get isReady(): boolean {
    return this.piscina.idleThreads > 0;
  }

  /**
   * Runs a task; only one at a time.
   * @param began called when a thread is there for it.
   * @throws what the task throws, or the signal's reason as `cause` of an error when it fires first.
   */
  async run(
    name: string,
    input: unknown,
    { signal, transfer, began }: { signal: AbortSignal; transfer: readonly Transferable[]; began: () => void },
  ): Promise<unknown> {
    const gone = new AbortController();
    const starting = this.isReady ? undefined : Promise.withResolvers<void>();
    this.starting = starting;
    const result = this.piscina.run(input, {
      name,
      signal: AbortSignal.any([signal, gone.signal]),
      // The types take the overload of `postMessage` with options for the one with a list.
      transferList: [...transfer] as RunOptions['transferList'] & object,
    });
    result.catch(() => undefined);
    try {
      // Memory that a start has used up fails the task itself.
      if (starting) await Promise.race([starting.promise, result]);
      began();
      return await result;
    } catch (error) {
      gone.abort();
      throw error;
    } finally {
      this.starting = undefined;
    }
  }

  close(): Promise<void> {
    return this.piscina.destroy();
  }
}

type RunOptions = NonNullable<Parameters<Piscina['run']>[1]>;
