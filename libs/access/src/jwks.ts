import { createRemoteJWKSet, errors, type CryptoKey, type JWSHeaderParameters, type FlattenedJWSInput } from 'jose';
import { Unavailable } from '@spandrel/kernel';

const FETCH_MS_MAX = 3_000;
/** Keys older than this are fetched anew, beside the requests; those at hand serve as long as that fails. */
const FRESH_MS = 300_000;
/** How long after a failure nobody tries again. */
const RETRY_MS = 1_000;
/** A key that is not among those at hand is looked for once in this time: guessed key ids reach nobody. */
const COOLDOWN_MS = 10_000;

/** The keys that a JWKS URL publishes (RFC 7517), kept in memory. */
export class Jwks {
  private readonly keys;
  private fetchedAt = -Infinity;
  private failedAt = -Infinity;

  constructor(url: string) {
    this.keys = createRemoteJWKSet(new URL(url), {
      timeoutDuration: FETCH_MS_MAX,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: Infinity,
    });
  }

  /**
   * The key that a token names.
   * @throws Unavailable when there are no keys at hand and they cannot be fetched; jose's error when there is none for
   *   this token.
   */
  async keyFor(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    if (!this.keys.jwks()) await this.fetch();
    else if (this.isDue(this.fetchedAt, FRESH_MS)) void this.fetch().catch(() => undefined);
    try {
      return await this.keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported || error instanceof errors.JWKSInvalid) throw error;
      throw unreachable(error);
    }
  }

  private async fetch(): Promise<void> {
    if (!this.isDue(this.failedAt, RETRY_MS)) throw unreachable();
    try {
      await this.keys.reload();
      this.fetchedAt = performance.now();
    } catch (error) {
      this.failedAt = performance.now();
      throw unreachable(error);
    }
  }

  private isDue(since: number, ms: number): boolean {
    return performance.now() - since >= ms;
  }
}

const unreachable = (cause?: unknown): Unavailable =>
  new Unavailable('the keys that verify JWTs cannot be fetched right now', { cause });
