import { setTimeout as afterMs } from 'node:timers/promises';

/**
 * Waits for `work` for a limited time.
 * @param late what comes in its place when the time is over: a value, or a throw. The work goes on, and nobody hears what
 *   becomes of it.
 */
export async function withinMs<T, Late = T>(
  ms: number,
  work: Promise<T>,
  late: () => Late | Promise<Late>,
): Promise<T | Late> {
  const { promise: timeIsOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    return await Promise.race([work, timeIsOver.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a while, or until the signal fires. Never rejects, and does not keep the process alive. */
export async function pauseUnlessStopped(ms: number, stopped: AbortSignal): Promise<void> {
  await afterMs(ms, undefined, { ref: false, signal: stopped }).catch(() => undefined);
}

/**
 * How long to wait before something that has failed is tried again: twice as long each time, and up to half of it
 * less at random, so that those that failed together do not come back together.
 * @param failures how many failed in a row, from 1.
 */
export const backoff = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)) * (0.5 + Math.random() / 2);

/** The time, so that tests can set it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
