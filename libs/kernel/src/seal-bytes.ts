import { createCipheriv, createDecipheriv, randomBytes, type CipherKey } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals bytes, or UTF-8, with AES-256-GCM: nonce, ciphertext, tag. @param boundTo the only use they can be opened for. */
export function sealBytes(bytes: Buffer | string, key: CipherKey, boundTo: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(boundTo));
  return Buffer.concat([nonce, cipher.update(Buffer.from(bytes)), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what {@link sealBytes} made. @returns `undefined` for another key or purpose, and for bytes that were changed. */
export function openSealed(sealed: Buffer, key: CipherKey, boundTo: string): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
