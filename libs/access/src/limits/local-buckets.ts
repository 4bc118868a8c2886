import { takeTokens, type CountedRequest, type ProjectBucket, type Taken, type Bucket } from './take-tokens.js';

/** Number of buckets beyond which those that are full again are forgotten. */
const BUCKETS_KEPT = 10_000;
/** A bucket that is a second's worth in debt is full again after two. */
const FULL_AFTER_MICROS = 2_000_000;

/** The buckets of one process, for where there is no Redis. */
export class LocalBuckets {
  private readonly orgs = new Map<string, Bucket>();
  private readonly projects = new Map<string, ProjectBucket>();
  private readonly keys = new Map<string, Bucket>();
  private readonly routes = new Map<string, Bucket>();
  private sweepAt = BUCKETS_KEPT;

  /** @param micros a clock that never goes back. */
  constructor(private readonly micros: () => number = () => performance.now() * 1_000) {}

  take({ orgId, projectId, keyId, routeId, rates }: CountedRequest): Taken {
    const now = this.micros();
    const [org, project, key] = [this.orgs.get(orgId), this.projects.get(projectId), this.keys.get(keyId ?? '')];
    const routeKey = `${orgId} ${routeId}`;
    const route = this.routes.get(routeKey);
    const held = { ...(org && { org }), ...(project && { project }), ...(key && { key }), ...(route && { route }) };
    const { buckets, ...taken } = takeTokens(held, rates, now);
    if (taken.refusedBy !== null) return taken;
    this.orgs.set(orgId, buckets.org!);
    this.projects.set(projectId, buckets.project!);
    if (buckets.key) this.keys.set(keyId ?? '', buckets.key);
    if (buckets.route) this.routes.set(routeKey, buckets.route);
    if (this.size > this.sweepAt) this.sweep(now);
    return taken;
  }

  /** How many buckets are kept. */
  get size(): number {
    return this.orgs.size + this.projects.size + this.keys.size + this.routes.size;
  }

  private sweep(now: number): void {
    for (const buckets of [this.orgs, this.projects, this.keys, this.routes]) {
      for (const [id, { at }] of buckets) if (now - at >= FULL_AFTER_MICROS) buckets.delete(id);
    }
    this.sweepAt = Math.max(BUCKETS_KEPT, this.size * 2);
  }
}
