/**
 * The pause after so many failures in a row: anything up to the first pause, which doubles with each further failure
 * ("full jitter"), so that processes that failed together do not come back together.
 * @param failures 1 or more.
 * @param random from 0 to 1.
 */
export function backoffMs(failures: number, firstMs: number, maxMs: number, random: () => number): number {
  return random() * Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/** @param now ms since the epoch. @returns ms that `Retry-After` (seconds or a date) asks for; 0 where it asks for none. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null || header.trim() === '') return 0;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}

/** Whether a request that was answered with this status may be taken a little later. */
export const passes = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** A fetch that failed says why in its cause: by words, by a code, or by both. */
export function reasonOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: { code?: unknown; message?: unknown } };
  const code = typeof cause?.code === 'string' ? cause.code : '';
  const words = typeof cause?.message === 'string' ? cause.message : '';
  if (words === '') return code || (error instanceof Error ? error.message : String(error));
  return words.includes(code) ? words : `${words} (${code})`;
}

/** @returns the base of a server without a slash at its end. @throws TypeError when it is no `http:` or `https:` URL. */
export function checkedBase(url: string): string {
  const { protocol, origin, pathname } = URL.canParse(url) ? new URL(url) : ({ protocol: '' } as URL);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`"${url}" is not an http or https URL`);
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}

/**
 * @returns the base of a server of Spandrel: the address of its API, `…/api`, which each path of the API begins with, stands for
 *   the server as well. @throws TypeError when it is no `http:` or `https:` URL.
 */
export function apiBase(url: string): string {
  const { origin, pathname } = new URL(checkedBase(url));
  return checkedBase(origin + pathname.replace(/\/api$/, ''));
}
