import { Injectable, Inject, type OnModuleDestroy } from '@nestjs/common';
import { currentContext, type ActingParty, METRICS, BackgroundTasks, type PeriodicTask } from '@spandrel/kernel';
import { Counter, type Registry } from '@prometheus-io/client';
import { formatTimestamp } from '@spandrel/contract';
import { actingParty, REFUSAL_CODES, RefusedRequests, type RefusedRequest } from '@spandrel/http';
import { Storage } from '@spandrel/storage';
import { AuditTrail, type AuditedAct } from '../trail/audit-trail.js';

/** What refusals have in common that are counted together. */
export interface RefusalKind {
  /** A request that was refused, or somebody who came from an identity provider. */
  action: 'request.refused' | 'session.refused';
  orgId: string | null;
  projectId: string | null;
  actor: string;
  actorName: string | null;
  address: string | null;
  /** Method and pattern of the route; the id of who wanted to sign in. */
  target: string;
  targetName: string | null;
  code: string;
  details: Readonly<Record<string, string | number>>;
}

/** Refusals of one kind, or of several where there are too many kinds, counted. */
export interface CountedRefusals extends Omit<RefusalKind, 'target' | 'code' | 'actor'> {
  /** `null` in all of these: refusals of several kinds. */
  actor: string | null;
  target: string | null;
  code: string | null;
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
 * each organization and one for the service, for requests and for people who sign in apart. What gets no entry of its own is counted with the others, and reported as one.
 */
export class RefusalBook {
  private kinds = new Map<string, CountedRefusals>();
  /** Both by {@link bucketNameOf}. */
  private readonly others = new Map<string, CountedRefusals>();
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(private readonly bounds: RefusalBounds) {}

  /** Counts a refusal. @param now milliseconds since the epoch. */
  note(kind: RefusalKind, requestId: string, now: number = Date.now()): void {
    const key = JSON.stringify([kind.action, kind.orgId, kind.actor, kind.address, kind.target, kind.code]);
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
  take(now: number = Date.now()): CountedRefusals[] {
    const taken: CountedRefusals[] = [];
    const kinds = [...this.kinds.values()];
    this.kinds = new Map();
    for (const refusals of kinds) {
      if (this.takeToken(bucketNameOf(refusals), now)) taken.push(refusals);
      else this.merge(refusals);
    }
    for (const [name, refusals] of this.others) {
      if (!this.takeToken(name, now)) continue;
      taken.push(refusals);
      this.others.delete(name);
    }
    this.forgetFull(now);
    return taken;
  }

  /** What waits, whatever the bounds: for the end of the process. One for each bucket. */
  takeRest(): CountedRefusals[] {
    for (const refusals of this.kinds.values()) this.merge(refusals);
    const rest = [...this.others.values()];
    this.kinds.clear();
    this.others.clear();
    return rest;
  }

  private merge(refusals: CountedRefusals): void {
    const { action, orgId, count, firstAt, lastAt } = refusals;
    const others = this.others.get(bucketNameOf(refusals));
    if (others) {
      others.count += count;
      others.firstAt = Math.min(others.firstAt, firstAt);
      others.lastAt = Math.max(others.lastAt, lastAt);
      return;
    }
    const several = { actor: null, actorName: null, address: null, target: null, targetName: null, code: null };
    this.others.set(bucketNameOf(refusals), {
      ...{ action, orgId, projectId: null, ...several, details: {} },
      ...{ requestId: null, count, firstAt, lastAt },
    });
  }

  private takeToken(name: string, now: number): boolean {
    const bucket = this.bucketOf(name, now);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  private bucketOf(name: string, now: number): { tokens: number; at: number } {
    const { burst, everyMs } = this.bounds;
    const before = this.buckets.get(name) ?? { tokens: burst, at: now };
    const bucket = { tokens: Math.min(burst, before.tokens + Math.max(0, now - before.at) / everyMs), at: now };
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** A bucket that is full again is as good as none. */
  private forgetFull(now: number): void {
    for (const name of this.buckets.keys()) {
      if (this.bucketOf(name, now).tokens >= this.bounds.burst) this.buckets.delete(name);
    }
  }
}

const bucketNameOf = ({ action, orgId }: Pick<RefusalKind, 'action' | 'orgId'>): string =>
  `${action} ${orgId ?? 'service'}`;

const BOUNDS = { burst: 60, everyMs: 60_000, kindsMax: 1_000 };

/** Somebody whom the identity provider confirmed and who may not sign in. */
export interface RefusedSignIn {
  actor: ActingParty;
  targetId: string;
  targetName: string | null;
  reason: string;
  details: Readonly<Record<string, string>>;
}

/** Refusals that are not in the audit log yet (docs/spec/audit.md#refusals): counted here, and written behind the answers. */
@Injectable()
export class Refusals extends RefusalBook {
  constructor() {
    super(BOUNDS);
  }

  /** Notes who was not signed in by the request that runs now. */
  noteSignIn({ actor, targetId, targetName, reason, details }: RefusedSignIn): void {
    const { address, requestId } = currentContext();
    const kind: RefusalKind = {
      ...{ action: 'session.refused', orgId: null, projectId: null },
      ...{ actor: actor.name, actorName: actor.label, address },
      ...{ target: targetId, targetName, code: reason, details: { ...details, reason } },
    };
    this.note(kind, requestId ?? '');
  }
}

const EVERY_MS = 10_000;

const SEVERAL = 'several';

/** Counts requests that were refused for who sent them, and writes all {@link Refusals} (docs/spec/audit.md#refusals). */
@Injectable()
export class RecordRefusals implements OnModuleDestroy {
  private readonly task: PeriodicTask;
  private waiting: CountedRefusals[] = [];
  private readonly counted: Counter<'code'>;

  constructor(
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
    requests: RefusedRequests,
    private readonly refusals: Refusals,
    tasks: BackgroundTasks,
    @Inject(METRICS) registry: Registry,
  ) {
    this.counted = new Counter({
      name: 'spandrel_requests_refused_total',
      help: 'Requests that were refused for who sent them: 401, 403, and 429 after too many wrong credentials.',
      labelNames: ['code'],
      registers: [registry],
    });
    for (const code of REFUSAL_CODES) this.counted.inc({ code }, 0);
    requests.listen((request) => this.note(request));
    this.task = tasks.add({
      everyMs: EVERY_MS,
      task: () => this.execute(),
      failure: 'refusals could not be written to the audit log; they will be at the next time',
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    await this.write([...this.refusals.take(), ...this.refusals.takeRest()]);
  }

  /** Writes what has been counted, as far as the bounds allow. @throws Unavailable */
  execute(): Promise<void> {
    return this.write(this.refusals.take());
  }

  private note(request: RefusedRequest): void {
    this.counted.inc({ code: request.code });
    this.refusals.note(kindOf(request), request.requestId);
  }

  private async write(taken: readonly CountedRefusals[]): Promise<void> {
    const all = (this.waiting = [...this.waiting, ...taken]);
    if (all.length === 0) return;
    await this.storage.write(async (tx) => {
      for (const refusals of all) this.audit.record(tx, actOf(refusals));
    });
    this.waiting = [];
  }
}

function kindOf({ code, status, method, route, caller, address }: RefusedRequest): RefusalKind {
  const party = caller ? actingParty(caller) : { name: 'nobody', label: null };
  return {
    action: 'request.refused',
    ...{ orgId: caller?.scope?.orgId ?? null, projectId: caller?.scope?.projectId ?? null },
    ...{ actor: party.name, actorName: party.label, address },
    ...{ target: `${method} ${route ?? '*'}`, targetName: null, code, details: { code, status } },
  };
}

function actOf({ action, orgId, projectId, actor, actorName, address, ...counted }: CountedRefusals): AuditedAct {
  const { target, targetName, details, count, firstAt, lastAt, requestId } = counted;
  return {
    action,
    ...{ orgId, projectId, targetId: target ?? SEVERAL, targetName },
    context: { actor: { name: actor ?? SEVERAL, label: actorName }, address, requestId },
    details: {
      ...details,
      ...{ count, first_at: formatTimestamp(firstAt), last_at: formatTimestamp(lastAt) },
    },
  };
}
