import { setTimeout as afterMs } from 'node:timers/promises';

/**
 * Waits for `work` for a limited time. @param late what comes in its place then: a value, or a throw; the work goes on.
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
 * Milliseconds until the next try: doubled each time, up to half less at random, so that not all come back together.
 * @param failures how many failed in a row, from 1.
 */
export const backoff = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)) * (0.5 + Math.random() / 2);

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
