import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@spandrel/kernel';

export interface RetryOptions {
  /** Ends it, with what the last attempt threw. */
  kill: AbortSignal;
  /** Called once, for the first attempt that failed. */
  failed: (error: unknown) => void;
}

/** Pause between attempts to write while the database cannot take it. */
const PAUSE_MS = 1_000;

/** Attempts that may fail in other ways, and the pause behind each: conflicts with other processes pass, a fault stays. */
const OTHER_ATTEMPTS_MAX = 3;
const OTHER_PAUSE_MS = 250;

/**
 * Does something with the database until it is done: a result is not to be lost for want of a database, since a model
 * would have to be called again, and an identity provider gives a token once.
 * @throws what is not passing: the error of the third attempt that failed in another way than `Unavailable`.
 */
export async function retryStorageWrite<T>(work: () => Promise<T>, { kill, failed }: RetryOptions): Promise<T> {
  for (let attempt = 1, others = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (kill.aborted) throw error;
      if (attempt === 1) failed(error);
      const isAway = error instanceof Unavailable;
      if (!isAway && ++others === OTHER_ATTEMPTS_MAX) throw error;
      await pause(isAway ? PAUSE_MS : OTHER_PAUSE_MS, undefined, { signal: kill });
    }
  }
}
