import {
  BehaviorSubject,
  defer,
  delay,
  distinctUntilChanged,
  exhaustMap,
  filter,
  from,
  merge,
  of,
  repeat,
  retry,
  Subscription,
  take,
  timer,
  type SchedulerAction,
  type SchedulerLike,
} from 'rxjs';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { backoff } from '../time.js';
import { LOGGER, type Logger } from '../log/logger.js';

export interface PeriodicTaskOptions {
  everyMs: number;
  /** Time until the first run; `everyMs` when left out. */
  firstMs?: number;
  /** How long a wake-up waits for others, which are then done together. */
  gatherMs?: number;
  /** What is done; never twice at once. A throw is logged, and it is done again. */
  task: (stopped: AbortSignal) => Promise<void>;
  failure: string | ((error: unknown) => string);
  /** What the log says when it works again; of failures in a row it then has the first alone. */
  recovery?: string;
  /** Pauses behind failures in a row, doubled from the first to the longest; it is done at its time when left out. */
  pausesMs?: { first: number; longest: number };
  logger: Logger;
  scheduler?: SchedulerLike;
}

/** Something done from time to time and whenever it is woken: every worker and all upkeep. Keeps no process alive. */
export class PeriodicTask {
  private readonly stopping = new AbortController();
  private readonly woken = new BehaviorSubject(false);
  private rounds: Subscription | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private hasFailed = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  start(): void {
    const { everyMs, firstMs = everyMs, gatherMs = 0, pausesMs, scheduler = backgroundScheduler } = this.options;
    let waitMs = firstMs;
    this.rounds = defer(() => {
      const wakeUp = this.woken.pipe(distinctUntilChanged(), filter(Boolean), delay(gatherMs, scheduler));
      return merge(timer(waitMs, scheduler), wakeUp);
    })
      .pipe(
        take(1),
        exhaustMap(() => {
          waitMs = everyMs;
          this.woken.next(false);
          return from((this.underWay = this.run()));
        }),
        retry({
          delay: (_error, failures) => {
            if (!pausesMs) return of(0);
            this.woken.next(true);
            return timer(backoff(failures, pausesMs.first, pausesMs.longest), scheduler);
          },
          resetOnSuccess: true,
        }),
        repeat(),
      )
      .subscribe();
  }

  /** Has it done at once, or right behind what is under way; as often as this is called meanwhile, it is done once. */
  hurry(): void {
    if (this.rounds && !this.stopping.signal.aborted) this.woken.next(true);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.rounds?.unsubscribe();
    await this.underWay.catch(() => undefined);
  }

  private async run(): Promise<void> {
    const { task, failure, recovery, logger } = this.options;
    try {
      await task(this.stopping.signal);
    } catch (error) {
      const isKnown = this.hasFailed && recovery !== undefined;
      if (!isKnown) logger.warn({ err: error }, typeof failure === 'string' ? failure : failure(error));
      this.hasFailed = true;
      throw error;
    }
    if (this.hasFailed && recovery !== undefined) logger.info(recovery);
    this.hasFailed = false;
  }
}

/** What providers do in the background for as long as the program runs. */
@Injectable()
export class BackgroundTasks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly tasks: PeriodicTask[] = [];

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** Adds a task, in the constructor of a provider. It starts when all modules have, and stops before the first of them ends. */
  add(options: Omit<PeriodicTaskOptions, 'logger'>): PeriodicTask {
    const task = new PeriodicTask({ ...options, logger: this.logger });
    this.tasks.push(task);
    return task;
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }
}

/** The `asyncScheduler` of rxjs with timers that do not keep the process alive. */
export const backgroundScheduler: SchedulerLike = {
  now: () => Date.now(),
  schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delayMs = 0, state?: T): Subscription {
    const action = new Subscription() as SchedulerAction<T>;
    action.schedule = (next, ms = 0) => {
      const timeout = setTimeout(() => work.call(action, next), ms).unref();
      action.add(() => clearTimeout(timeout));
      return action;
    };
    return action.schedule(state, delayMs);
  },
};
