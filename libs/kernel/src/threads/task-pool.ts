import type { Transferable } from 'node:worker_threads';
import { Rotation } from './rotation.js';
import type { TaskThread, TaskThreadOptions } from './task-thread.js';

/** Why a task of a {@link TaskPool} has no result. */
export type TaskFailureReason =
  /** It had not ended at its deadline; its thread was ended, whatever it was doing. */
  | 'deadline'
  /** The queue was full; it was not begun. */
  | 'full'
  /** It threw, its thread used up its memory, or no thread could be started for it. `cause` has the error. */
  | 'failed'
  /** The pool was closed before it ended. */
  | 'closed';

/** A task that was given to a thread has no result. Its message holds nothing of the task's input. */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure';
  constructor(
    readonly reason: TaskFailureReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface TaskPoolOptions extends Pick<TaskThreadOptions, 'file'> {
  /** How many tasks run at a time. */
  readonly threadsMax?: number;
  /** How many more may wait of each group. */
  readonly queueMax?: number;
  /** How much a thread's heap may grow, in MB; a task that needs more fails. */
  readonly heapMb?: number;
  /** For how long a thread without a task stays, in milliseconds. */
  readonly idleMs?: number;
  /** How long a thread may take to start, in milliseconds. */
  readonly startMs?: number;
  /** `workerData` of each thread; whatever structured clone takes. */
  readonly data?: unknown;
}

export interface TaskOptions {
  /** How long the task may take once its thread is ready, in milliseconds. */
  readonly deadlineMs: number;
  /** Who the task is for, such as an organization: groups take turns, and none fills the queue of another. */
  readonly group?: string;
  /** What of the input moves to the thread and is no longer here, such as an `ArrayBuffer`. */
  readonly transfer?: readonly Transferable[];
}

/** Functions that a thread file exports, by name: each takes one input and returns what structured clone takes. */
type Tasks = Readonly<Record<string, (input: never) => unknown>>;

interface Waiting {
  name: string;
  input: unknown;
  options: TaskOptions;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

const NOTHING: readonly Transferable[] = [];

/**
 * Runs work that may take too long in threads, each task with a hard deadline at which its thread is ended, whatever it does
 * (docs/adr/0054-threads-with-a-deadline.md). Threads start when they are needed and end when they are not; as many tasks of each
 * group as `queueMax` wait in order, and more are refused at once, so that callers have an answer of their own for each {@link TaskFailure}.
 */
export class TaskPool<Exported = Tasks> {
  private readonly options: Required<TaskPoolOptions>;
  private threads: { thread: TaskThread; isBusy: boolean }[] | undefined;
  private readonly waiting = new Rotation<Waiting>();
  private running = 0;
  private closed = false;

  constructor({
    file,
    threadsMax = 1,
    queueMax = 16,
    heapMb = 256,
    idleMs = 10_000,
    startMs = 30_000,
    data = null,
  }: TaskPoolOptions) {
    this.options = { file, threadsMax, queueMax, heapMb, idleMs, startMs, data };
  }

  /** How many tasks run or wait. */
  get size(): number {
    return this.running + this.waiting.size;
  }

  /**
   * Runs an exported function of the file in a thread.
   * @returns what it returns, cloned.
   * @throws TaskFailure when there is no result.
   */
  run<Name extends keyof Exported & string>(
    name: Name,
    input: InputOf<Exported[Name]>,
    options: TaskOptions,
  ): Promise<ResultOf<Exported[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(closedFailure());
      const group = [options.group ?? ''];
      const waiting = this.waiting.sizeOf(group);
      if (this.running === this.options.threadsMax && waiting >= this.options.queueMax) {
        return reject(new TaskFailure('full', `${waiting} tasks wait for a thread already`));
      }
      this.waiting.add(group, { name, input, options, resolve: resolve as Waiting['resolve'], reject });
      this.dispatch();
    });
  }

  /** Ends all threads; tasks that run or wait fail. */
  async close(): Promise<void> {
    this.closed = true;
    for (let task = this.waiting.take(); task; task = this.waiting.take()) task.reject(closedFailure());
    await Promise.all((this.threads ?? []).map(({ thread }) => thread.close()));
  }

  private dispatch(): void {
    while (this.running < this.options.threadsMax) {
      const task = this.waiting.take();
      if (!task) return;
      this.running++;
      void this.begin(task);
    }
  }

  private async begin(task: Waiting): Promise<void> {
    let settle: () => void;
    try {
      const result = await this.runFree(task);
      settle = () => task.resolve(result);
    } catch (error) {
      settle = () => task.reject(error);
    }
    this.running--;
    settle();
    this.dispatch();
  }

  /** Runs a task in a thread that has none, one that is ready before others. */
  private async runFree(task: Waiting): Promise<unknown> {
    const threads = (this.threads ??= await this.makeThreads());
    if (this.closed) throw closedFailure();
    const free = threads.filter(({ isBusy }) => !isBusy);
    const place = free.find(({ thread }) => thread.isReady) ?? free[0]!;
    place.isBusy = true;
    try {
      return await this.runIn(place.thread, task);
    } finally {
      place.isBusy = false;
    }
  }

  /** Piscina is loaded with the first task: most programs never have one. */
  private async makeThreads(): Promise<{ thread: TaskThread; isBusy: boolean }[]> {
    const { TaskThread } = await import('./task-thread.js');
    return (this.threads ??= Array.from({ length: this.options.threadsMax }, () => ({
      thread: new TaskThread(this.options),
      isBusy: false,
    })));
  }

  private async runIn(thread: TaskThread, { name, input, options }: Waiting): Promise<unknown> {
    const { deadlineMs, transfer = NOTHING } = options;
    const { startMs } = this.options;
    const ended = new AbortController();
    const end =
      (message: string): (() => void) =>
      () =>
        ended.abort(new TaskFailure('deadline', message));
    let timer = setTimeout(end(`no thread was ready for "${name}" within ${startMs} ms`), startMs);
    const began = (): void => {
      clearTimeout(timer);
      timer = setTimeout(end(`"${name}" had not ended after ${deadlineMs} ms`), deadlineMs);
    };
    try {
      return await thread.run(name, input, { signal: ended.signal, transfer, began });
    } catch (error) {
      if (ended.signal.aborted) throw ended.signal.reason;
      if (this.closed) throw closedFailure();
      throw new TaskFailure('failed', `"${name}" failed in its thread`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

type InputOf<Task> = Task extends (input: infer Input) => unknown ? Input : never;
type ResultOf<Task> = Task extends (input: never) => infer Result ? Awaited<Result> : never;

const closedFailure = (): TaskFailure => new TaskFailure('closed', 'the threads for such tasks were closed');
