import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { CoreSettings, LOGGER, type Logger, METRICS, withinMs } from '@spandrel/kernel';
import { LocalBuckets } from './local-buckets.js';
import { SharedBuckets } from './shared-buckets.js';

/** What became of one request. */
export interface RateLimitResult {
  allowed: boolean;
  /** Requests a second, and at once after a pause. */
  limit: number;
  /** Requests that may follow at once. */
  remaining: number;
  /** Seconds without a request after which all of the limit may be used at once again. */
  resetSeconds: number;
}

/** How long the start waits for Redis. */
const START_MS_MAX = 1_000;
/** A bucket holds what one second brings, so that it is full again within a second. */
const RESET_SECONDS = 1;

/**
 * Limits the requests of each organization (docs/spec/limits.md#requests-of-an-organization): a token bucket that all
 * instances share through Redis. Without `REDIS_URL`, and for as long as Redis does not answer, each instance has
 * buckets of its own; no request fails for want of Redis, or waits for it longer than 100 ms.
 */
@Injectable()
export class RateLimits implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shared: SharedBuckets | undefined;
  private readonly local = new LocalBuckets();
  private readonly refused: Counter;
  private readonly alone: Counter;

  constructor(
    @Inject(CoreSettings) { redisUrl }: Pick<CoreSettings, 'redisUrl'>,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    this.shared = redisUrl === null ? undefined : new SharedBuckets(redisUrl, logger);
    const registers = [registry];
    this.refused = new Counter({
      name: 'spandrel_rate_limited_requests_total',
      help: 'Requests refused because their organization had reached its limit.',
      registers,
    });
    this.alone = new Counter({
      name: 'spandrel_rate_limit_fallbacks_total',
      help: 'Requests that this instance counted by itself because Redis did not answer.',
      registers,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.shared) return;
    await withinMs(START_MS_MAX, this.shared.connect(), () => undefined);
  }

  /**
   * Counts a request.
   * @param perSecond a whole number from 1; the organization's limit as it is now.
   * @returns never fails.
   */
  async take(orgId: string, perSecond: number): Promise<RateLimitResult> {
    let taken = await this.shared?.take(orgId, perSecond);
    if (!taken) {
      if (this.shared) this.alone.inc();
      taken = this.local.take(orgId, perSecond);
    }
    if (!taken.allowed) this.refused.inc();
    return { ...taken, limit: perSecond, resetSeconds: RESET_SECONDS };
  }

  /** Closes after the last request, which may still need a token. */
  onApplicationShutdown(): void {
    this.close();
  }

  /** Lets Redis go; requests are counted in this process from here on. */
  close(): void {
    this.shared?.close();
  }
}
