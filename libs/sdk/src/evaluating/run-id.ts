/** Digits of Crockford's base 32, which sort as their values do. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BITS = 5;
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/**
 * @returns an id for a new run that nobody else makes (a ULID). It begins with the time, as those of the server do: lists of
 *   runs are in the order of their ids, and the newest run of a list is to be the one that was begun last.
 */
export function newRunId(nowMs: number = Date.now()): string {
  const time = Array.from({ length: TIME_DIGITS }, (_, place) => {
    const shift = 2 ** (BITS * (TIME_DIGITS - 1 - place));
    return DIGITS[Math.floor(nowMs / shift) % DIGITS.length];
  });
  const random = [...crypto.getRandomValues(new Uint8Array(RANDOM_DIGITS))].map((byte) => DIGITS[byte % DIGITS.length]);
  return [...time, ...random].join('');
}
