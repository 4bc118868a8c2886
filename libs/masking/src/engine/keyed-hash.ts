import { createHmac } from 'node:crypto';

/** Letters that stand for the digits of a hash: no masker takes them for a number. */
const LETTERS = 'abcdefghijklmnop';

/** Characters of a hash: 80 bits. */
const LENGTH = 20;

/**
 * A keyed hash of a value: HMAC-SHA-256 under the key of the project, its first 80 bits in letters. Values of two labels have
 * different hashes.
 */
export function keyedHash(key: Buffer, label: string, value: string): string {
  const hex = createHmac('sha256', key).update(`${label}\0${value}`).digest('hex').slice(0, LENGTH);
  let letters = '';
  for (const digit of hex) letters += LETTERS[Number.parseInt(digit, 16)];
  return letters;
}
