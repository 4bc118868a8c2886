import { createRemoteJWKSet, errors, type CryptoKey, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { Unavailable } from '@spandrel/kernel';

const FETCH_MS_MAX = 3_000;
/** Keys older than this are fetched again, beside the requests; those at hand serve for as long as that fails. */
const FRESH_MS = 300_000;
/** How long after a failure nobody tries again. */
const RETRY_MS = 1_000;
/** A key that is not among those at hand is looked for once in this time: guessed key ids reach nobody. */
const LOOK_AGAIN_MS = 10_000;

/** The keys that a JWKS URL publishes (RFC 7517), kept in memory. */
export class Jwks {
  private readonly keys;
  private fetchedAt = -Infinity;
  private failedAt = -Infinity;

  constructor(url: string) {
    // When to fetch is decided here.
    this.keys = createRemoteJWKSet(new URL(url), {
      timeoutDuration: FETCH_MS_MAX,
      cooldownDuration: Infinity,
      cacheMaxAge: Infinity,
    });
  }

  /**
   * The key that a token names.
   * @throws Unavailable when it is not at hand and the keys cannot be fetched, jose's error when there is none for this
   *   token.
   */
  async keyFor(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    if (!this.keys.jwks()) await this.fetch();
    else if (isDue(this.fetchedAt, FRESH_MS)) void this.fetch().catch(() => undefined);
    try {
      return await this.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !isDue(this.fetchedAt, LOOK_AGAIN_MS)) throw error;
      await this.fetch();
      return this.keys(header, token);
    }
  }

  private async fetch(): Promise<void> {
    if (!isDue(this.failedAt, RETRY_MS)) throw unreachable();
    try {
      await this.keys.reload();
      this.fetchedAt = performance.now();
    } catch (error) {
      this.failedAt = performance.now();
      throw unreachable(error);
    }
  }
}

const isDue = (since: number, ms: number): boolean => performance.now() - since >= ms;

const unreachable = (cause?: unknown): Unavailable =>
  new Unavailable('the JWT could not be checked: the keys that verify it (JWKS) could not be fetched; try again soon', {
    cause,
  });
