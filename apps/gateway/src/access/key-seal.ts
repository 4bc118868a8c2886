import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { CallerKey, keyDigest } from './caller-key.js';

/** A caller's key as the spool directory keeps it. */
export interface SealedKey {
  digest: string;
  sealed: string;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals callers' keys for the spool directory: AES-256-GCM, bound to the key's digest, under a key derived from the
 * gateway's own credential (HKDF-SHA-256), so that the gateway needs no secret key.
 */
export class KeySeal {
  private readonly secret: Buffer;

  /** @param apiKey `SPANDREL_API_KEY`. */
  constructor(apiKey: string) {
    this.secret = Buffer.from(hkdfSync('sha256', apiKey, '', 'spandrel gateway spool', 32));
  }

  /** Sealed once a key, however many calls it makes. */
  seal(caller: CallerKey): SealedKey {
    const { digest } = caller;
    caller.sealed ??= caller.use((key) => this.encrypt(key, digest)) ?? undefined;
    return { digest, sealed: caller.sealed ?? '' };
  }

  /** @returns a caller without its key when it cannot be opened: sealed under another credential, or changed. */
  open({ digest, sealed }: SealedKey): CallerKey {
    const key = this.decrypt(Buffer.from(sealed, 'base64url'), digest);
    const caller = new CallerKey(digest, key !== null && keyDigest(key) === digest ? key : null);
    caller.sealed = sealed;
    return caller;
  }

  private encrypt(key: string, digest: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.secret, nonce).setAAD(Buffer.from(digest));
    const sealed = [nonce, cipher.update(key, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64url');
  }

  private decrypt(sealed: Buffer, digest: string): string | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    try {
      const decipher = createDecipheriv(ALGORITHM, this.secret, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(digest)).setAuthTag(sealed.subarray(-TAG_BYTES));
      const opened = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return Buffer.concat(opened).toString('utf8');
    } catch {
      return null;
    }
  }
}
