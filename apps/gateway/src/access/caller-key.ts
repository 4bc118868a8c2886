import { hash, hkdfSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { openSealed, sealBytes } from '@spandrel/kernel';

/**
 * The credential that a recording is delivered with. The key itself is in memory only and in no property that a log or
 * JSON would show.
 */
export class CallerKey {
  readonly #key: string | null;
  /** The key as the spool directory holds it: encrypted, see `KeySeal`. */
  sealed: string | undefined;

  /**
   * @param digest see {@link keyDigest}; names the key everywhere.
   * @param key `null` for one that is known by its digest only.
   */
  constructor(
    readonly digest: string,
    key: string | null,
  ) {
    this.#key = key;
  }

  /** The `Authorization` for the API; `null` where the key is not at hand. */
  get authorization(): string | null {
    return this.#key === null ? null : `Bearer ${this.#key}`;
  }

  /** Gives the key to a function that must have it. */
  use<Result>(take: (key: string) => Result): Result | null {
    return this.#key === null ? null : take(this.#key);
  }
}

/** SHA-256, base64url: names a key without showing it. */
export const keyDigest = (key: string): string => hash('sha256', key, 'base64url');

/**
 * The caller's own key: of `X-Spandrel-Key`, else of `?token=`; `null` when none was sent
 * (docs/spec/gateway.md#keys-of-callers).
 */
export function keyOf({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): string | null {
  const header = headers['x-spandrel-key'];
  return typeof header === 'string' && header !== '' ? header : tokenOf(url!);
}

/** Whether a pair of a query is the gateway's `token`: only in this spelling, so that what is read is what is taken off. */
const isToken = (pair: string): boolean => pair === 'token' || pair.startsWith('token=');

function tokenOf(requestTarget: string): string | null {
  const mark = requestTarget.indexOf('?');
  if (mark === -1 || !requestTarget.includes('token', mark)) return null;
  const pair = requestTarget
    .slice(mark + 1)
    .split('&')
    .find(isToken);
  const value = pair?.slice('token='.length);
  if (!value) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Takes `?token=` off a request target and leaves the rest as it is. */
export function withoutToken(requestTarget: string): string {
  const mark = requestTarget.indexOf('?');
  if (mark === -1 || !requestTarget.includes('token', mark)) return requestTarget;
  const kept = requestTarget
    .slice(mark + 1)
    .split('&')
    .filter((pair) => !isToken(pair));
  return kept.length === 0 ? requestTarget.slice(0, mark) : `${requestTarget.slice(0, mark)}?${kept.join('&')}`;
}

/** A caller's key as the spool directory keeps it. */
interface SealedKey {
  digest: string;
  sealed: string;
}

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
    caller.sealed ??= caller.use((key) => sealBytes(key, this.secret, digest).toString('base64url')) ?? undefined;
    return { digest, sealed: caller.sealed ?? '' };
  }

  /** @returns a caller without its key when it cannot be opened: sealed under another credential, or changed. */
  open({ digest, sealed }: SealedKey): CallerKey {
    const key = openSealed(Buffer.from(sealed, 'base64url'), this.secret, digest)?.toString('utf8');
    const caller = new CallerKey(digest, key !== undefined && keyDigest(key) === digest ? key : null);
    caller.sealed = sealed;
    return caller;
  }
}
