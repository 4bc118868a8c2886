import type { AccessSettings } from '../access.settings.js';

/** The limits that a request can reach, as `RateLimit` names them. */
export const LIMIT_NAMES = ['org', 'project', 'key', 'route'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** How many requests a second may be made, of a request that is counted now. */
export interface Rates {
  /** By the organization; a whole number from 1. */
  org: number;
  /** By the project; `null`: as many as the organization has. */
  project: number | null;
  /** By the API key; `null`: as many as its project has, and for credentials that are no keys. */
  key: number | null;
  /** By the organization at the route; left out where the route has no limit of its own. */
  route?: number | null;
  /** What the project has for sure, whatever the organization's other projects do; 0: nothing. */
  guaranteed: number;
}

export interface CountedRequest {
  orgId: string;
  projectId: string;
  /** `null` for a credential that is no API key. */
  keyId: string | null;
  routeId?: string;
  rates: Rates;
}

/** The bucket of a project: of its limit, and of what it has for sure. */
interface ProjectBucket extends Bucket {
  reserve: number;
}

/** What is left of the organization, the project, the key and the route of a request; `undefined`: full. */
export interface Buckets {
  org?: Bucket;
  project?: ProjectBucket;
  key?: Bucket;
  route?: Bucket;
}

export interface Taken {
  /** The limit that was reached; `null`: the request is allowed. */
  refusedBy: LimitName | null;
  /** Whole tokens that are left; of a limit that is not set 0. */
  remaining: Readonly<Record<LimitName, number>>;
}

/**
 * Takes a token from all buckets of a request, or from none (docs/spec/limits.md#requests-of-a-project-and-of-a-key).
 *
 * The bucket of the organization may go below zero, by one second's worth at most, for a project that is within its
 * guarantee. Each request of a project uses up its guarantee first: a project that floods has used it up, and waits until
 * the organization's bucket is out of debt. A project alone in its organization never gets it into debt.
 * @param now moment on the clock of the buckets, in microseconds.
 * @returns the buckets as they are now; those given when the request is refused.
 */
export function takeTokens(buckets: Buckets, rates: Rates, now: number): Taken & { buckets: Buckets } {
  const org = filledTokens(buckets.org, rates.org, now);
  const project = filledTokens(buckets.project, rates.project ?? 0, now);
  const key = filledTokens(buckets.key, rates.key ?? 0, now);
  const route = filledTokens(buckets.route, rates.route ?? 0, now);
  const held = buckets.project && { tokens: buckets.project.reserve, at: buckets.project.at };
  const reserve = filledTokens(held, rates.guaranteed, now);
  const isGuaranteed = reserve >= 1 && org - 1 >= -rates.org;
  const reached: Record<LimitName, boolean> = {
    route: isReached(rates.route, route),
    key: isReached(rates.key, key),
    project: isReached(rates.project, project),
    org: org < 1 && !isGuaranteed,
  };
  const refusedBy = LIMIT_NAMES.findLast((name) => reached[name]) ?? null;
  const taken = refusedBy === null ? 1 : 0;
  const left = (tokens: number): number => Math.max(0, Math.floor(tokens - taken));
  const remaining = { org: left(org), project: left(project), key: left(key), route: left(route) };
  if (refusedBy !== null) return { refusedBy, remaining, buckets };
  const after = {
    org: { tokens: org - 1, at: now },
    project: { tokens: Math.max(0, project - 1), reserve: Math.max(0, reserve - 1), at: now },
    ...(rates.key !== null && { key: { tokens: key - 1, at: now } }),
    ...(typeof rates.route === 'number' && { route: { tokens: route - 1, at: now } }),
  };
  return { refusedBy, remaining, buckets: after };
}

const isReached = (rate: number | null | undefined, tokens: number): boolean => typeof rate === 'number' && tokens < 1;

/** What is left in a bucket that holds one second's worth and fills evenly. */
export interface Bucket {
  tokens: number;
  /** Moment at which the bucket held `tokens`, in microseconds of any one clock. */
  at: number;
}

/** Tokens in a bucket now; one that is absent is full, and a clock that has gone back fills nothing. @param now in microseconds. */
function filledTokens(bucket: Bucket | undefined, perSecond: number, now: number): number {
  if (!bucket) return perSecond;
  return Math.min(perSecond, bucket.tokens + (Math.max(0, now - bucket.at) * perSecond) / 1_000_000);
}

interface OwnLimits {
  rateLimit: number | null;
  projectRateLimit: number | null;
  /** That of the API key; left out for other credentials. */
  keyRateLimit?: number | null;
}

type LimitSettings = Pick<
  AccessSettings,
  'requestsPerSecond' | 'projectRequestsPerSecond' | 'keyRequestsPerSecond' | 'projectShare'
>;

/** The limits that hold for a credential (docs/spec/limits.md#requests-of-a-project-and-of-a-key). */
export function ratesOf({ rateLimit, projectRateLimit, keyRateLimit }: OwnLimits, settings: LimitSettings): Rates {
  const org = rateLimit ?? settings.requestsPerSecond;
  return {
    org,
    project: projectRateLimit ?? settings.projectRequestsPerSecond,
    key: keyRateLimit === undefined ? null : (keyRateLimit ?? settings.keyRequestsPerSecond),
    guaranteed: settings.projectShare === 0 ? 0 : Math.max(1, org * settings.projectShare),
  };
}

const BUCKETS_KEPT = 10_000;
/** A bucket that is a second's worth in debt is full again after two. */
const FULL_AFTER_MICROS = 2_000_000;

/** The names of a request's buckets. The braces name the part of a key that Redis Cluster places it by. */
export function bucketKeys({ orgId, projectId, keyId, routeId }: CountedRequest): Record<LimitName, string> {
  const org = `spandrel:limit:{${orgId}}`;
  return {
    org,
    project: `${org}:project:${projectId}`,
    key: `${org}:key:${keyId ?? ''}`,
    route: `${org}:route:${routeId ?? ''}`,
  };
}

/** The buckets of one process, for where there is no Redis. */
export class LocalBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private sweepAt = BUCKETS_KEPT;

  /** @param micros a clock that never goes back. */
  constructor(private readonly micros: () => number = () => performance.now() * 1_000) {}

  take(request: CountedRequest): Taken {
    const now = this.micros();
    const keys = bucketKeys(request);
    const held = Object.fromEntries(LIMIT_NAMES.map((name) => [name, this.buckets.get(keys[name])])) as Buckets;
    const { buckets, ...taken } = takeTokens(held, request.rates, now);
    if (taken.refusedBy !== null) return taken;
    for (const name of LIMIT_NAMES) {
      const bucket = buckets[name];
      if (bucket) this.buckets.set(keys[name], bucket);
    }
    if (this.size > this.sweepAt) this.sweep(now);
    return taken;
  }

  get size(): number {
    return this.buckets.size;
  }

  private sweep(now: number): void {
    for (const [key, { at }] of this.buckets) if (now - at >= FULL_AFTER_MICROS) this.buckets.delete(key);
    this.sweepAt = Math.max(BUCKETS_KEPT, this.size * 2);
  }
}
