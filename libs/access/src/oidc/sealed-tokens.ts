import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** What an identity provider gave to be asked with again. */
export interface ProviderTokens {
  refreshToken: string | null;
  accessToken: string;
  /** Kept to sign out there; `null` where nobody does. */
  idToken: string | null;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals tokens with the cookie of their session (AES-256-GCM, the session's id bound in): the server keeps no more than the
 * cookie's digest, so that neither database nor server gives them back without the browser.
 */
export function sealTokens(tokens: ProviderTokens, cookie: string, sessionId: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(cookie), nonce).setAAD(Buffer.from(sessionId));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(tokens), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Opens what {@link sealTokens} made. @returns `undefined` where the cookie is another one. */
export function openTokens(sealed: string, cookie: string, sessionId: string): ProviderTokens | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(cookie), bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(sessionId))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as ProviderTokens;
  } catch {
    return undefined;
  }
}

const keyOf = (cookie: string): Buffer =>
  Buffer.from(hkdfSync('sha256', cookie, '', 'spandrel: tokens of the identity provider', 32));
