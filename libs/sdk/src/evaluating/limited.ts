/** Timers of more milliseconds fire at once. */
const TIMER_MS_MAX = 2_147_483_647;

/** What bounds a call of the user's code. */
export interface Bounds {
  /** `Infinity`: as long as it takes. */
  timeoutMs: number;
  /** Stops it earlier. */
  signal: AbortSignal;
}

/**
 * Calls a function that may take too long. One that does not stop when its signal is aborted goes on, and is heard no more.
 * @throws what the function throws; a `TimeoutError`; what the signal was aborted with.
 */
export async function limited<T>(
  run: (signal: AbortSignal) => T | Promise<T>,
  { timeoutMs, signal }: Bounds,
): Promise<T> {
  signal.throwIfAborted();
  const inner = new AbortController();
  let stop: (reason: unknown) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = (reason) => {
      // Before the function hears of it, so that it is this reason that counts.
      reject(reason as Error);
      inner.abort(reason);
    };
  });
  const expire = (): void => stop(new DOMException(`timed out after ${timeoutMs} ms`, 'TimeoutError'));
  const timer = timeoutMs > TIMER_MS_MAX ? undefined : setTimeout(expire, timeoutMs);
  const stops = stopsOf(signal);
  stops.add(stop);
  try {
    return await Promise.race([stopped, (async () => run(inner.signal))()]);
  } finally {
    clearTimeout(timer);
    stops.delete(stop);
  }
}

const STOPS = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/** What a signal stops, by one listener: Node warns of a leak where there are more than ten. */
function stopsOf(signal: AbortSignal): Set<(reason: unknown) => void> {
  const known = STOPS.get(signal);
  if (known) return known;
  const stops = new Set<(reason: unknown) => void>();
  STOPS.set(signal, stops);
  signal.addEventListener('abort', () => stops.forEach((stop) => stop(signal.reason)), { once: true });
  return stops;
}

/** @throws what the signal was aborted with. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  limited(() => new Promise<void>(() => {}), { timeoutMs: ms, signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
