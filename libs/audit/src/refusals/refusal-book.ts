/** What refusals have in common that are counted together. */
export interface RefusalKind {
  orgId: string | null;
  projectId: string | null;
  actor: string;
  actorName: string | null;
  address: string | null;
  /** Method and pattern of the route. */
  route: string;
  code: string;
  status: number;
}

/** Refusals of one kind, or of several where there are too many kinds, counted. */
export interface CountedRefusals extends Omit<RefusalKind, 'route' | 'code' | 'status' | 'actor' | 'address'> {
  /** `null` in all of these: refusals of several kinds. */
  actor: string | null;
  address: string | null;
  route: string | null;
  code: string | null;
  status: number | null;
  count: number;
  /** Milliseconds since the epoch. */
  firstAt: number;
  lastAt: number;
  /** Id of the first request; `null` for several kinds. */
  requestId: string | null;
}

export interface RefusalBounds {
  /** Entries that an organization, or the service, may have at once after a pause. */
  burst: number;
  /** Time after which it may have another one, in milliseconds. */
  everyMs: number;
  /** Kinds that are counted apart between two {@link RefusalBook.take}. */
  kindsMax: number;
}

/**
 * Counts refusals by their kind, so that no number of them makes more entries than a chain is allowed: a token bucket for
 * each organization and one for the service. What gets no entry of its own is counted with the others, and told as one.
 */
export class RefusalBook {
  private kinds = new Map<string, CountedRefusals>();
  private readonly others = new Map<string | null, CountedRefusals>();
  private readonly buckets = new Map<string | null, { tokens: number; at: number }>();

  constructor(private readonly bounds: RefusalBounds) {}

  /** Counts a refusal. @param now milliseconds since the epoch. */
  note(kind: RefusalKind, requestId: string, now: number): void {
    const key = JSON.stringify([kind.orgId, kind.actor, kind.address, kind.route, kind.code]);
    const known = this.kinds.get(key);
    if (known) {
      known.count++;
      known.lastAt = now;
      return;
    }
    const first = { ...kind, count: 1, firstAt: now, lastAt: now, requestId };
    if (this.kinds.size < this.bounds.kindsMax) this.kinds.set(key, first);
    else this.merge(first);
  }

  /** What is to be written now; what may not be yet stays. */
  take(now: number): CountedRefusals[] {
    const taken: CountedRefusals[] = [];
    const kinds = [...this.kinds.values()];
    this.kinds = new Map();
    for (const refusals of kinds) {
      if (this.takeToken(refusals.orgId, now)) taken.push(refusals);
      else this.merge(refusals);
    }
    for (const [orgId, refusals] of this.others) {
      if (!this.takeToken(orgId, now)) continue;
      taken.push(refusals);
      this.others.delete(orgId);
    }
    this.forgetFull(now);
    return taken;
  }

  /** What waits, whatever the bounds: for the end of the process. One for each organization, and one for the service. */
  takeRest(): CountedRefusals[] {
    for (const refusals of this.kinds.values()) this.merge(refusals);
    const rest = [...this.others.values()];
    this.kinds.clear();
    this.others.clear();
    return rest;
  }

  private merge(refusals: CountedRefusals): void {
    const { orgId, count, firstAt, lastAt } = refusals;
    const others = this.others.get(orgId);
    if (others) {
      others.count += count;
      others.firstAt = Math.min(others.firstAt, firstAt);
      others.lastAt = Math.max(others.lastAt, lastAt);
      return;
    }
    const several = { actor: null, actorName: null, address: null, route: null, code: null, status: null };
    this.others.set(orgId, { orgId, projectId: null, ...several, requestId: null, count, firstAt, lastAt });
  }

  private takeToken(orgId: string | null, now: number): boolean {
    const bucket = this.bucketOf(orgId, now);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  private bucketOf(orgId: string | null, now: number): { tokens: number; at: number } {
    const { burst, everyMs } = this.bounds;
    const before = this.buckets.get(orgId) ?? { tokens: burst, at: now };
    const bucket = { tokens: Math.min(burst, before.tokens + Math.max(0, now - before.at) / everyMs), at: now };
    this.buckets.set(orgId, bucket);
    return bucket;
  }

  /** A bucket that is full again is as good as none. */
  private forgetFull(now: number): void {
    for (const orgId of this.buckets.keys()) {
      if (this.bucketOf(orgId, now).tokens >= this.bounds.burst) this.buckets.delete(orgId);
    }
  }
}
