import { SpandrelError } from '@spandrel/sdk/api';

/** The error of a request that got no answer. */
export const unreachable = (): SpandrelError =>
  new SpandrelError({ status: 0, code: 'unreachable', detail: 'The server did not answer. Is it running?' });

/** Whether the object asked for does not exist, or belongs to another project. */
export const isNotFound = (error: unknown): error is SpandrelError =>
  error instanceof SpandrelError && error.status === 404;

/** Attempts after the first one. */
const RETRIES_MAX = 3;
const DELAY_FIRST_MS = 500;
const DELAY_MAX_MS = 10_000;

/** Answers after which the next attempt may go well: nothing answered, too many requests, something in between is down. */
const PASSING: ReadonlySet<number> = new Set([0, 408, 429, 502, 503, 504]);

/** Whether a failed read is tried again. @param failures failed attempts before this one, from 0. */
export const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < RETRIES_MAX && error instanceof SpandrelError && PASSING.has(error.status);

/** Milliseconds until the next attempt: what the service asked for, else twice as long every time. */
export const retryDelayMs = (failures: number, error: unknown): number =>
  (error instanceof SpandrelError && error.retryAfterMs) || Math.min(DELAY_FIRST_MS * 2 ** failures, DELAY_MAX_MS);
