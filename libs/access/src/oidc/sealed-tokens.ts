import { hkdfSync, randomBytes } from 'node:crypto';
import { openSealed, sealBytes } from '@spandrel/kernel';

/** What an identity provider gave to be asked with again. */
export interface ProviderTokens {
  refreshToken: string | null;
  accessToken: string;
  /** When the access token ends, in milliseconds since the epoch; `null` where the provider did not say. */
  accessEndsAt?: number | null;
  /** Kept to sign out there; `null` where nobody does. */
  idToken: string | null;
}

/** Tokens that were opened, and the key that they are sealed with. */
export interface OpenedTokens {
  tokens: ProviderTokens;
  tokenKey: Buffer;
}

const KEY_BYTES = 32;
const FOR_COOKIE = 'spandrel: tokens of the identity provider';
const FOR_API_KEY = 'spandrel: the key of tokens of the identity provider';

const SEPARATOR = ':';

/**
 * Seals tokens with a key of their own, which is sealed with the cookie of their session, whose digest alone is kept, or with an
 * API key that was made in it ({@link sealTokenKey}). @param tokenKey a new one when left out.
 */
export function sealTokens(
  tokens: ProviderTokens,
  cookie: string,
  sessionId: string,
  tokenKey: Buffer = randomBytes(KEY_BYTES),
): string {
  const sealedKey = seal(tokenKey, keyOf(cookie, FOR_COOKIE), sessionId);
  return sealedKey + SEPARATOR + sealBody(tokens, tokenKey, sessionId);
}

/** Opens what {@link sealTokens} made. @returns `undefined` where the cookie is another one. */
export function openTokens(sealed: string, cookie: string, sessionId: string): OpenedTokens | undefined {
  const tokenKey = open(sealedKeyOf(sealed), keyOf(cookie, FOR_COOKIE), sessionId);
  return tokenKey && openTokensWith(sealed, tokenKey, sessionId);
}

/** Opens what {@link sealTokens} made by the key of the tokens. @returns `undefined` where that is another one. */
export function openTokensWith(sealed: string, tokenKey: Buffer, sessionId: string): OpenedTokens | undefined {
  const body = sealed.split(SEPARATOR, 2)[1];
  const opened = body === undefined ? undefined : open(body, tokenKey, sessionId);
  return opened && { tokens: JSON.parse(opened.toString('utf8')) as ProviderTokens, tokenKey };
}

/** Puts other tokens in the place of sealed ones: those who could open these can open the new ones. */
export const resealTokens = (sealed: string, tokens: ProviderTokens, tokenKey: Buffer, sessionId: string): string =>
  sealedKeyOf(sealed) + SEPARATOR + sealBody(tokens, tokenKey, sessionId);

/** Seals the key of a session's tokens with an API key. @param keyId its id, which is bound in. */
export const sealTokenKey = (tokenKey: Buffer, apiKey: string, keyId: string): string =>
  seal(tokenKey, keyOf(apiKey, FOR_API_KEY), keyId);

/** Opens what {@link sealTokenKey} made. @returns `undefined` where the API key is another one. */
export const openTokenKey = (sealed: string, apiKey: string, keyId: string): Buffer | undefined =>
  open(sealed, keyOf(apiKey, FOR_API_KEY), keyId);

const sealBody = (tokens: ProviderTokens, tokenKey: Buffer, sessionId: string): string =>
  seal(Buffer.from(JSON.stringify(tokens)), tokenKey, sessionId);

const sealedKeyOf = (sealed: string): string => sealed.split(SEPARATOR, 1)[0]!;

const seal = (bytes: Buffer, key: Buffer, boundTo: string): string =>
  sealBytes(bytes, key, boundTo).toString('base64url');

const open = (sealed: string, key: Buffer, boundTo: string): Buffer | undefined =>
  openSealed(Buffer.from(sealed, 'base64url'), key, boundTo);

const keyOf = (secret: string, use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, KEY_BYTES));
