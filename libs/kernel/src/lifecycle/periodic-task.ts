import type { Logger } from '../log/logger.js';

export interface PeriodicTaskOptions {
  everyMs: number;
  /** Time until the first run; `everyMs` when left out. */
  firstMs?: number;
  /** What is done; never twice at once. A throw is logged, and it is done again at its time. */
  task: (stopped: AbortSignal) => Promise<void>;
  /** What the log says when it fails. */
  failure: string;
  logger: Logger;
}

/** Something done from time to time for as long as the process lives. Does not keep the process alive. */
export class PeriodicTask {
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private isUnderWay = false;
  private hurried = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  /** Begins to wait for the first time. */
  start(): void {
    this.after(this.options.firstMs ?? this.options.everyMs);
  }

  /** Does it at once, or right behind what is under way; as often as is asked meanwhile it is done once. */
  hurry(): void {
    if (this.stopped.signal.aborted || !this.timer) return;
    if (this.isUnderWay) {
      this.hurried = true;
      return;
    }
    clearTimeout(this.timer);
    this.after(0);
  }

  /** Does it no more. @returns once what is under way is over. */
  async stop(): Promise<void> {
    this.stopped.abort();
    clearTimeout(this.timer);
    await this.underWay;
  }

  private after(ms: number): void {
    this.timer = setTimeout(() => {
      this.isUnderWay = true;
      this.underWay = this.once().then(() => {
        this.isUnderWay = false;
        if (!this.stopped.signal.aborted) this.after(this.hurried ? 0 : this.options.everyMs);
        this.hurried = false;
      });
    }, ms).unref();
  }

  private async once(): Promise<void> {
    const { task, failure, logger } = this.options;
    try {
      await task(this.stopped.signal);
    } catch (error) {
      logger.warn({ err: error }, failure);
    }
  }
}
