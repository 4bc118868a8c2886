/** Crockford's digits, in the order of their characters. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/**
 * An id for a run, so that starting it may be repeated. Lists of runs are in the order of their ids, so it is a ULID, as the
 * server makes them: the time first.
 */
export function newRunId(now: number = Date.now()): string {
  let id = '';
  for (let place = TIME_DIGITS - 1; place >= 0; place--) id += DIGITS[Math.floor(now / 32 ** place) % 32];
  for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_DIGITS))) id += DIGITS[byte % 32];
  return id;
}
