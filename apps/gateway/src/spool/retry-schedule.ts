import { backoff } from '@spandrel/kernel';

export interface RetryOptions {
  /** First and longest pause after failures in a row. */
  retryMs: number;
  retryMaxMs: number;
}

const RETRY_AFTER_MS_MAX = 60_000;

/** When the next batch of a queue is sent. Times are on the clock of `performance.now()`. */
export class RetrySchedule {
  /** Time of the next attempt; `Infinity`: nothing is planned. */
  dueAt = Infinity;
  pausedUntil = 0;
  private failures = 0;

  /** The API has taken a batch or refused it for good. */
  succeeded(): void {
    this.failures = 0;
    this.pausedUntil = 0;
  }

  /** The API has not taken a batch. @param leastMs how long it asks to be left alone, at least. */
  failed(options: RetryOptions, leastMs = 0): void {
    this.pause(pauseAfter(++this.failures, options, leastMs));
  }

  pause(ms: number): void {
    this.pausedUntil = performance.now() + ms;
    this.dueAt = Infinity;
  }
}

/** How long to wait after failures in a row. @param leastMs of `Retry-After`, a minute of which counts. */
const pauseAfter = (failures: number, { retryMs, retryMaxMs }: RetryOptions, leastMs: number): number =>
  Math.max(backoff(failures, retryMs, retryMaxMs), Math.min(leastMs, RETRY_AFTER_MS_MAX));

/**
 * Holds all deliveries back while the API cannot be reached. It opens with a failure; when its pause is over it is half open:
 * one delivery at a time asks for the API, until one gets an answer.
 */
export class CircuitBreaker {
  /** On the clock of `performance.now()`; no delivery before that. */
  openUntil = 0;
  private failures = 0;

  constructor(private readonly options: RetryOptions) {}

  get isClosed(): boolean {
    return this.failures === 0;
  }

  /** The API has answered. */
  succeeded(): void {
    this.failures = 0;
    this.openUntil = 0;
  }

  /** The API was not reached. @param retryAfterMs how long it asks to be left alone. */
  failed(retryAfterMs: number): void {
    // Deliveries that fail at once fail together.
    if (performance.now() < this.openUntil) return;
    this.openUntil = performance.now() + pauseAfter(++this.failures, this.options, retryAfterMs);
  }
}
