import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What every key begins with, so that people and secret scanners know one when they see it. */
export const API_KEY_PREFIX = 'spn_sk_';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** Digits that 256 bits and 32 bits need. */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const FORM = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);

/** Characters of a key that lists show. */
const SHOWN_LENGTH = API_KEY_PREFIX.length + 6;

/** A new API key: `spn_sk_`, 32 random bytes and their checksum, in base 62 (contract.md "Authentication"). */
export function newApiKey(): string {
  const begin = API_KEY_PREFIX + inBase62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  return begin + checksumOf(begin);
}

/** Whether a text has the form and the checksum of a key: what does not was never one. */
export const isApiKey = (text: string): boolean =>
  FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);

/** SHA-256 of a credential, hex: what is kept of it. */
export const digestOf = (credential: string): string => hash('sha256', credential, 'hex');

/** The beginning of a key, by which people tell keys apart. */
export const shownPrefixOf = (key: string): string => key.slice(0, SHOWN_LENGTH);

const checksumOf = (begin: string): string => inBase62(BigInt(crc32(begin)), CHECKSUM_DIGITS);

function inBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
