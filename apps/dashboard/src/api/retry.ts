import { ApiError } from './api-error.js';

/** Attempts after the first one. */
const RETRIES_MAX = 3;
const DELAY_FIRST_MS = 500;
const DELAY_MAX_MS = 10_000;

/** Answers after which the next attempt may go well: nothing answered, too many requests, something in between is down. */
const PASSING: ReadonlySet<number> = new Set([0, 408, 429, 502, 503, 504]);

/** Whether a failed read is tried again. @param failures failed attempts before this one, from 0. */
export function shouldRetry(failures: number, error: unknown): boolean {
  return failures < RETRIES_MAX && error instanceof ApiError && PASSING.has(error.status);
}

/** Milliseconds until the next attempt: what the service asked for, else twice as long every time. */
export function retryDelayMs(failures: number, error: unknown): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : null;
  return asked ?? Math.min(DELAY_FIRST_MS * 2 ** failures, DELAY_MAX_MS);
}
