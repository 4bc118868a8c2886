import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealedText } from '@spandrel/kernel';
import type { KeyRing } from './key-ring.js';
import type { SecretKey } from './secret-key.js';

/** A text sealed for one row: which key sealed it, and nonce, ciphertext and tag as base64. */
export type Sealed = SealedText;

/** What a row without a key has in its place: an import of everything brings none. */
export const NO_KEY: Sealed = { keyId: '', sealedKey: '' };

/** The row a text is sealed for; in any other it cannot be opened. */
export interface SealedFor {
  projectId: string;
  id: string;
  /** What is sealed; the key of a connection when left out. */
  use?: 'connection' | 'masking';
}

/** The row of a project's masking rules, for the key of its hashes. */
export const forMasking = (projectId: string): SealedFor => ({ projectId, id: '', use: 'masking' });

/** Why a text cannot be unsealed: there is none, its key is not on the ring, or the text, its row or its key was changed. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError';

  constructor(readonly reason: 'no-key' | 'unknown-key' | 'altered') {
    super(reason);
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Names what is sealed and how, so that no other use of the key can be passed off as it. */
const ASSOCIATED_TAGS = { connection: 'spandrel connection key v1', masking: 'spandrel masking key v1' };

/** Seals a text with AES-256-GCM for one row (docs/spec/connections.md#keys-are-encrypted). */
export function seal(text: string, { id: keyId, key }: SecretKey, row: SealedFor): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associatedData(row));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { keyId, sealedKey: sealed.toString('base64') };
}

/** The text that {@link seal} sealed. @throws UnsealError */
export function unseal({ keyId, sealedKey }: Sealed, ring: KeyRing, row: SealedFor): string {
  if (keyId === NO_KEY.keyId) throw new UnsealError('no-key');
  const secretKey = ring.find(keyId);
  if (!secretKey) throw new UnsealError('unknown-key');
  const sealed = Buffer.from(sealedKey, 'base64');
  if (sealed.length < NONCE_BYTES + TAG_BYTES || sealed.toString('base64') !== sealedKey) {
    throw new UnsealError('altered');
  }
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, secretKey.key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(associatedData(row))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const opened = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(opened).toString('utf8');
  } catch {
    throw new UnsealError('altered');
  }
}

const associatedData = ({ projectId, id, use = 'connection' }: SealedFor): Buffer =>
  Buffer.from(JSON.stringify([ASSOCIATED_TAGS[use], projectId, id]));
