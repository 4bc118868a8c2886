/** Timers of more milliseconds overflow and fire at once. */
export const TIMER_MS_MAX = 2_147_483_647;

/**
 * The pause after so many failures in a row: anything up to the first pause, which doubles with each further failure
 * ("full jitter"), so that processes that failed together do not come back together.
 * @param failures 1 or more.
 * @param random from 0 to 1.
 */
export function backoffMs(failures: number, firstMs: number, maxMs: number, random: () => number): number {
  return random() * Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
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
