import { createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

/** A key that seals the keys of connections. A {@link KeyObject}, so that no log and no JSON can show its bytes. */
export interface SecretKey {
  /** Distinguishes keys in rows: 16 hex digits of a hash of the key. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Keeps the hash apart from any other use of SHA-256 on the key. */
const ID_DOMAIN = 'spandrel secret key id v1\0';

/** @param bytes 32 of them. */
export function secretKeyOf(bytes: Buffer): SecretKey {
  const id = createHash('sha256').update(ID_DOMAIN).update(bytes).digest('hex').slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}

export const newSecretKey = (): SecretKey => secretKeyOf(randomBytes(32));

/** Reads a key as {@link parseKeyBytes} does; `undefined` when it is none. */
export function parseSecretKey(text: string): SecretKey | undefined {
  const bytes = parseKeyBytes(text);
  return bytes && secretKeyOf(bytes);
}

/** The key as text that {@link parseSecretKey} reads: for the key file alone. */
export const formatSecretKey = ({ key }: SecretKey): string => key.export().toString('base64');

/** Reads a key of 32 bytes as base64 or hex (docs/spec/configuration.md#settings-of-cloud-mode), if it is one. */
export function parseKeyBytes(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
