/**
 * The pause after so many failures in a row: anything up to the first pause, which doubles with each further failure
 * ("full jitter"), so that processes that failed together do not come back together.
 * @param failures 1 or more.
 * @param random from 0 to 1.
 */
export function backoffMs(failures: number, firstMs: number, maxMs: number, random: () => number): number {
  return random() * Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * Reads `Retry-After`: seconds or a date.
 * @param now milliseconds since the epoch.
 * @returns milliseconds from now; 0 where there is none that makes sense.
 */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null || header.trim() === '') return 0;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}
