import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Transferable } from 'node:worker_threads';
import type * as piscina from 'piscina';
import { PACKAGE } from '../package-root.js';

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

export interface TaskPoolOptions {
  /** The file whose exported functions are the tasks, as {@link codeFile} names it. */
  readonly file: string;
  readonly threadsMax?: number;
  /** How many more may wait of each group. */
  readonly queueMax?: number;
  /** How much a thread's heap may grow, in MB; a task that needs more fails. */
  readonly heapMb?: number;
  /** For how long a thread without a task stays, in milliseconds. */
  readonly idleMs?: number;
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

type Tasks = Readonly<Record<string, (input: never) => unknown>>;

interface Waiting {
  name: string;
  input: unknown;
  options: TaskOptions;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

const DEFAULTS = { threadsMax: 1, queueMax: 16, heapMb: 256, idleMs: 10_000, startMs: 30_000, data: null };

/** Where cores are few, the thread that answers everybody comes first: a third of its share is left for each of these. */
const NICE = 5;

/** What a thread runs its sources with: nothing where they are built; sources, which tests run, are compiled as they load. */
const SOURCES_ARGUMENTS =
  PACKAGE.code === PACKAGE.root
    ? ['--import', pathToFileURL(join(PACKAGE.root, 'scripts/load-typescript.mjs')).href]
    : [];

/** Runs work in threads, which are ended at the deadline of their task (docs/adr/0054-threads-with-a-deadline.md). */
export class TaskPool<Exported = Tasks> {
  private readonly options: Required<TaskPoolOptions>;
  private threads: TaskThread[] | undefined;
  private readonly waiting = new Rotation<Waiting>();
  private running = 0;
  private closed = false;

  constructor(options: TaskPoolOptions) {
    this.options = { ...DEFAULTS, ...options };
  }

  get size(): number {
    return this.running + this.waiting.size;
  }

  /** Runs an exported function of the file in a thread. @returns what it returns, cloned. @throws TaskFailure */
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
    await Promise.all((this.threads ?? []).map((thread) => thread.close()));
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
    const result = this.runFree(task);
    await result.catch(() => undefined);
    this.running--;
    task.resolve(result);
    this.dispatch();
  }

  private async runFree(task: Waiting): Promise<unknown> {
    const threads = (this.threads ??= await this.makeThreads());
    if (this.closed) throw closedFailure();
    const free = threads.filter(({ isBusy }) => !isBusy);
    const thread = free.find(({ isReady }) => isReady) ?? free[0]!;
    try {
      return await thread.run(task, this.options.startMs);
    } catch (error) {
      if (error instanceof TaskFailure) throw error;
      if (this.closed) throw closedFailure();
      throw new TaskFailure('failed', `"${task.name}" failed in its thread`, { cause: error });
    }
  }

  /** Piscina is loaded with the first task: most programs never have one. */
  private async makeThreads(): Promise<TaskThread[]> {
    const { Piscina } = await import('piscina');
    const { file, data, idleMs, heapMb, threadsMax } = this.options;
    const options: PiscinaOptions = {
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
    };
    return (this.threads ??= Array.from({ length: threadsMax }, () => new TaskThread(Piscina, options)));
  }
}

/** A thread that runs one task at a time, replaced when a deadline has ended it; a piscina of one thread (ADR 0054). */
class TaskThread {
  isBusy = false;
  /** Settled when a thread is ready, and when one could not start. */
  private starting: PromiseWithResolvers<void> | undefined;

  private readonly piscina: piscina.Piscina;

  constructor(Piscina: typeof piscina.Piscina, options: PiscinaOptions) {
    this.piscina = new Piscina(options);
    this.piscina.on('workerCreate', () => this.starting?.resolve());
    // A thread that fails without a task: while it starts, or when it is idle.
    this.piscina.on('error', (error) => this.starting?.reject(error));
  }

  get isReady(): boolean {
    return this.piscina.idleThreads > 0;
  }

  /** @throws TaskFailure at the deadline, and what the task throws. */
  async run({ name, input, options: { deadlineMs, transfer = [] } }: Waiting, startMs: number): Promise<unknown> {
    const ended = new AbortController();
    const endAfter = (ms: number, message: string): NodeJS.Timeout =>
      setTimeout(() => ended.abort(new TaskFailure('deadline', message)), ms);
    let timer = endAfter(startMs, `no thread was ready for "${name}" within ${startMs} ms`);
    this.isBusy = true;
    this.starting = this.isReady ? undefined : Promise.withResolvers<void>();
    const result = this.piscina.run(input, {
      name,
      signal: ended.signal,
      // The types take the overload of `postMessage` with options for the one with a list.
      transferList: [...transfer] as RunOptions['transferList'] & object,
    });
    result.catch(() => undefined);
    try {
      // Memory that a start has used up fails the task itself.
      if (this.starting) await Promise.race([this.starting.promise, result]);
      clearTimeout(timer);
      timer = endAfter(deadlineMs, `"${name}" had not ended after ${deadlineMs} ms`);
      return await result;
    } catch (error) {
      if (ended.signal.aborted) throw ended.signal.reason;
      ended.abort();
      throw error;
    } finally {
      clearTimeout(timer);
      this.starting = undefined;
      this.isBusy = false;
    }
  }

  close(): Promise<void> {
    return this.piscina.destroy();
  }
}

type PiscinaOptions = ConstructorParameters<typeof piscina.Piscina>[0];
type RunOptions = NonNullable<Parameters<piscina.Piscina['run']>[1]>;

type InputOf<Task> = Task extends (input: infer Input) => unknown ? Input : never;
type ResultOf<Task> = Task extends (input: never) => infer Result ? Awaited<Result> : never;

const closedFailure = (): TaskFailure => new TaskFailure('closed', 'the threads for such tasks were closed');

/** A queue in which groups take turns at every level of their path; what has the same path comes out in order. */
export class Rotation<T> {
  private count = 0;
  /** In the order of their turns: a group that had its turn goes to the end. */
  private readonly groups = new Map<string, Rotation<T>>();
  private readonly items: T[] = [];

  get size(): number {
    return this.count;
  }

  sizeOf(path: readonly string[]): number {
    const [name, ...inner] = path;
    return name === undefined ? this.count : (this.groups.get(name)?.sizeOf(inner) ?? 0);
  }

  /** @param path of the groups that it belongs to, the outermost first; paths are of one length. */
  add(path: readonly string[], item: T, level = 0): void {
    this.count++;
    const name = path[level];
    if (name === undefined) {
      this.items.push(item);
      return;
    }
    let group = this.groups.get(name);
    if (!group) this.groups.set(name, (group = new Rotation()));
    group.add(path, item, level + 1);
  }

  /** Takes what has its turn; `undefined` when nothing waits. */
  take(): T | undefined {
    if (this.count === 0) return undefined;
    this.count--;
    const [first] = this.groups;
    if (!first) return this.items.shift();
    const [name, group] = first;
    const item = group.take();
    this.groups.delete(name);
    if (group.size > 0) this.groups.set(name, group);
    return item;
  }
}
