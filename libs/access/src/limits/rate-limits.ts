import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { CoreSettings, LOGGER, type Logger, METRICS, withinMs } from '@spandrel/kernel';
import { LocalBuckets } from './local-buckets.js';
import { SharedBuckets } from './shared-buckets.js';
import { LIMIT_NAMES, type CountedRequest, type Rates, type Taken } from './take-tokens.js';

/** What became of one request. */
export interface RateLimitResult extends Taken {
  rates: Rates;
  /** Seconds without a request after which all of the limits may be used at once again. */
  resetSeconds: number;
}

/** How long the start waits for Redis. */
const START_MS_MAX = 1_000;
/** A bucket holds what one second brings, so that it is full again within a second. */
const RESET_SECONDS = 1;

/**
 * Limits the requests of each organization, and of its projects and API keys (docs/spec/limits.md#requests-of-an-organization):
 * token buckets that all instances share through Redis. Without `REDIS_URL`, and for as long as Redis does not answer, each instance has
 * buckets of its own; no request fails for want of Redis, or waits for it longer than 100 ms.
 */
@Injectable()
export class RateLimits implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shared: SharedBuckets | undefined;
  private readonly local = new LocalBuckets();
  private readonly refused: Counter<'limit'>;
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
      help: 'Requests refused because a limit was reached: that of their organization, project or API key.',
      labelNames: ['limit'],
      registers,
    });
    for (const limit of LIMIT_NAMES) this.refused.inc({ limit }, 0);
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

  /** Counts a request. @returns never fails. */
  async take(request: CountedRequest): Promise<RateLimitResult> {
    let taken = await this.shared?.take(request);
    if (!taken) {
      if (this.shared) this.alone.inc();
      taken = this.local.take(request);
    }
    if (taken.refusedBy !== null) this.refused.inc({ limit: taken.refusedBy });
    return { ...taken, rates: request.rates, resetSeconds: RESET_SECONDS };
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
