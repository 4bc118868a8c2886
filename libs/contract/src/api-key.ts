import { crc32 } from 'node:zlib';

/** What every key begins with, so that people and secret scanners know one when they see it. */
export const API_KEY_PREFIX = 'spn_sk_';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits that 256 bits and 32 bits need. */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const FORM = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The key of a secret of 256 bits: `spn_sk_`, secret and checksum in base 62 (docs/spec/access.md#api-keys). */
export function apiKeyOf(secret: bigint): string {
  const begin = API_KEY_PREFIX + inBase62(secret, SECRET_DIGITS);
  return begin + checksumOf(begin);
}

/** Whether a text has the form and the checksum of a key: what does not was never one. */
export const isApiKey = (text: string): boolean =>
  FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);

/** Whether a text may be a credential of a project at all: an API key, or in the form of a JWT. */
export const isCredential = (text: string): boolean => isApiKey(text) || JWT.test(text);

const checksumOf = (begin: string): string => inBase62(BigInt(crc32(begin)), CHECKSUM_DIGITS);

function inBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
