import type { Timers } from './timers.js';

/** How delivery stands. Counts are since the start of the process; a span counts when it ended. */
export interface FlushResult {
  /** Spans and changed traces that the server has acknowledged. */
  delivered: number;
  /** What the server has not answered for: it waits and is sent again. */
  pending: number;
  /** Lost because the queue was full. */
  dropped: number;
  /** Refused by the server, one by one. */
  rejected: number;
  /** What stands in the way of delivery; else why something was lost last; `null` when all is well. */
  lastError: string | null;
}

interface Waiter {
  readonly place: number;
  readonly done: () => void;
}

/** The callers who wait until all that was recorded up to a place is settled. */
export class FlushWaiters {
  private readonly waiters = new Set<Waiter>();

  constructor(
    private readonly timers: Timers,
    private readonly result: () => FlushResult,
  ) {}

  get size(): number {
    return this.waiters.size;
  }

  /**
   * Resolves when everything up to the place is settled, at {@link end} or when the time is up.
   * @param holding keeps the process alive meanwhile, so that it does not end in the middle of an `await`.
   */
  add(place: number, timeoutMs: number, holding: boolean): Promise<FlushResult> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.timers.clear(timer);
        this.waiters.delete(waiter);
        resolve(this.result());
      };
      const waiter = { place, done };
      const timer = this.timers.set(done, Number.isFinite(timeoutMs) ? timeoutMs : 0, holding);
      this.waiters.add(waiter);
    });
  }

  /** @param firstPlace place of the oldest thing that waits; `Infinity` when nothing does. */
  settle(firstPlace: number): void {
    for (const waiter of [...this.waiters]) {
      if (firstPlace > waiter.place || firstPlace === Infinity) waiter.done();
    }
  }

  /** Waiting longer is of no use. */
  end(): void {
    for (const waiter of [...this.waiters]) waiter.done();
  }
}
