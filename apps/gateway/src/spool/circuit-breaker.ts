import { pauseAfter, type RetryOptions } from './retry-schedule.js';

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
