import { hash } from 'node:crypto';

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

  /** What the API is told; `null` where the key is not at hand. */
  get authorization(): string | null {
    return this.#key === null ? null : `Bearer ${this.#key}`;
  }

  /** Gives the key to a function that must have it. */
  use<Result>(take: (key: string) => Result): Result | null {
    return this.#key === null ? null : take(this.#key);
  }
}

/** SHA-256, base64url: what tells keys apart without showing them. */
export const keyDigest = (key: string): string => hash('sha256', key, 'base64url');
