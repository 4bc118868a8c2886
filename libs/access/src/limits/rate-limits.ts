import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { CoreSettings, LOGGER, type Logger, METRICS, withinMs, DomainError } from '@spandrel/kernel';
import {
  LocalBuckets,
  LIMIT_NAMES,
  type CountedRequest,
  type Rates,
  type Taken,
  type LimitName,
} from './take-tokens.js';
import { SharedBuckets } from './shared-buckets.js';

export interface RateLimitResult extends Taken {
  rates: Rates;
  /** Seconds without a request after which all of the limits may be used at once again. */
  resetSeconds: number;
}

/** A bucket holds what one second brings, so that it is full again within a second. */
const RESET_SECONDS = 1;

/**
 * Limits the requests of organizations, projects and API keys (docs/spec/limits.md#requests-of-an-organization) by token
 * buckets in Redis. Without it each instance has buckets of its own; no request waits for Redis longer than 100 ms.
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
    await withinMs(1_000, this.shared.connect(), () => undefined);
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
    this.shared?.close();
  }
}

/** Headers of every counted answer with its limits, by lower case name (docs/spec/limits.md#headers-of-the-rate-limit). */
export function limitHeaders({ rates, refusedBy, remaining, resetSeconds }: RateLimitResult): Record<string, string> {
  const held = LIMIT_NAMES.flatMap((name) => (typeof rates[name] === 'number' ? [{ name, quota: rates[name] }] : []));
  const shown = held.filter(({ name }) => refusedBy === null || name === refusedBy);
  return {
    'ratelimit-policy': held.map(({ name, quota }) => `"${name}";q=${quota};w=1`).join(', '),
    ratelimit: shown.map(({ name }) => `"${name}";r=${remaining[name]};t=${resetSeconds}`).join(', '),
  };
}

const HOLDERS: Readonly<Record<LimitName, string>> = {
  org: 'the organization',
  project: 'the project',
  key: 'the API key',
  route: 'this route',
};

/** The refusal of a request that reached a limit. @param name that limit. */
export function rateLimited(name: LimitName, { rates, resetSeconds }: RateLimitResult): DomainError {
  const limit = rates[name];
  const message = `${HOLDERS[name]} has reached its limit of ${limit} ${limit === 1 ? 'request' : 'requests'} a second`;
  return new DomainError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}
