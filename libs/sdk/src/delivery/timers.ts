import { TIMER_MS_MAX } from '../api/http.js';

/** The clock and its timers, which tests replace. */
export interface Timers {
  /** Milliseconds of a clock that only moves forward. */
  now(): number;
  /** Calls `run` after `ms`. @param holding whether the process stays alive for it. */
  set(run: () => void, ms: number, holding: boolean): unknown;
  clear(timer: unknown): void;
}

/** What Deno names a timer by is a number, which it releases by a function of its own. */
interface DenoTimers {
  Deno?: { unrefTimer?: (id: number) => void };
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  set(run, ms, holding) {
    const timer: unknown = setTimeout(run, Math.min(Math.max(0, ms), TIMER_MS_MAX));
    if (!holding) release(timer);
    return timer;
  },
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The process may end although the timer has not fired. Runtimes without such an end have nothing to release. */
function release(timer: unknown): void {
  if (typeof timer === 'number') (globalThis as DenoTimers).Deno?.unrefTimer?.(timer);
  else (timer as { unref?: () => void } | null)?.unref?.();
}
