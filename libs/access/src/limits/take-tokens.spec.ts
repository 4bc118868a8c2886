import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LocalBuckets, takeTokens, type Buckets, type Rates, type Bucket } from './take-tokens.js';

/** A request of a project alone in its organization, which has no other limit. */
function takeToken(bucket: Bucket | undefined, perSecond: number, now: number) {
  const rates = { org: perSecond, project: null, key: null, guaranteed: 0 };
  const { refusedBy, remaining, buckets } = takeTokens(bucket ? { org: bucket } : {}, rates, now);
  // A refusal leaves the bucket as it was; what fills meanwhile is the same.
  return { allowed: refusedBy === null, remaining: remaining.org, bucket: buckets.org! };
}

const SECOND = 1_000_000;

/** A request: how long after the one before it, in microseconds. */
const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 3 * SECOND })), {
  minLength: 1,
  maxLength: 300,
});

describe('the bucket of an organization', () => {
  it('gives a second’s worth at once, then one at a time as they come', () => {
    let bucket: Bucket | undefined;
    const take = (now: number) => {
      const { bucket: next, ...taken } = takeToken(bucket, 4, now);
      bucket = next;
      return taken;
    };
    expect([0, 0, 0, 0, 0].map(take)).toEqual([
      { allowed: true, remaining: 3 },
      { allowed: true, remaining: 2 },
      { allowed: true, remaining: 1 },
      { allowed: true, remaining: 0 },
      { allowed: false, remaining: 0 },
    ]);
    expect([SECOND / 4 - 1, SECOND / 4, SECOND / 2 - 1].map((now) => take(now).allowed)).toEqual([false, true, false]);
    expect(take(60 * SECOND)).toEqual({ allowed: true, remaining: 3 });
  });

  it('gives in no span of time more than is in the bucket and comes into it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), gaps, (perSecond, between) => {
        let bucket: Bucket | undefined;
        let now = 0;
        const served: number[] = [];
        for (const gap of between) {
          now += gap;
          const taken = takeToken(bucket, perSecond, now);
          bucket = taken.bucket;
          if (taken.allowed) served.push(now);
          expect(taken.remaining).toBeGreaterThanOrEqual(0);
          expect(taken.remaining).toBeLessThan(perSecond);
        }
        for (const [first, from] of served.entries()) {
          for (let last = first; last < served.length; last++) {
            const most = perSecond * (1 + (served[last]! - from) / SECOND);
            if (last - first + 1 > most + 1e-6) throw new Error(`${last - first + 1} of ${most}`);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('wastes nothing: who asks all the time is served at the rate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 5 }), (perSecond, factor) => {
        let bucket: Bucket | undefined;
        let served = 0;
        const step = SECOND / (perSecond * factor);
        for (let now = 0; now <= 4 * SECOND; now += step) {
          const taken = takeToken(bucket, perSecond, now);
          bucket = taken.bucket;
          served += Number(taken.allowed);
        }
        const most = factor === 1 ? 4 * perSecond + 1 : 5 * perSecond;
        expect(served).toBeLessThanOrEqual(most);
        expect(served).toBeGreaterThanOrEqual(Math.min(most - 1, 4 * perSecond));
      }),
      { numRuns: 60 },
    );
  });

  it('follows a limit that is raised or lowered', () => {
    const empty: Bucket = { tokens: 0, at: 0 };
    expect(takeToken(empty, 1_000, SECOND / 10)).toMatchObject({ allowed: true, remaining: 99 });
    expect(takeToken({ tokens: 900, at: 0 }, 10, 0)).toMatchObject({ allowed: true, remaining: 9 });
  });

  it('fills nothing while the clock goes back', () => {
    const { bucket, allowed } = takeToken({ tokens: 0, at: 10 * SECOND }, 5, 2 * SECOND);
    expect(allowed).toBe(false);
    expect(takeToken(bucket, 5, 11 * SECOND)).toMatchObject({ allowed: true, remaining: 4 });
  });
});

/** Requests of several projects of one organization; the guarantee is a fifth. */
class Organization {
  private org: Bucket | undefined;
  private readonly projects = new Map<string, Buckets['project']>();
  private readonly keys = new Map<string, Bucket | undefined>();

  constructor(private readonly rates: Rates) {}

  take(project: string, now: number, { rates = this.rates, key = project }: { rates?: Rates; key?: string } = {}) {
    const held = { org: this.org, project: this.projects.get(project), key: this.keys.get(key) };
    const known = Object.fromEntries(Object.entries(held).filter(([, bucket]) => bucket !== undefined));
    const { refusedBy, buckets } = takeTokens(known, rates, now);
    this.org = buckets.org;
    if (refusedBy === null) {
      this.projects.set(project, buckets.project);
      this.keys.set(key, buckets.key);
    }
    return refusedBy;
  }
}

describe('projects of one organization', () => {
  const RATES: Rates = { org: 100, project: null, key: null, guaranteed: 20 };

  it('let one at ten requests a second through, however many others flood', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 110, max: 3_000 }), (flooding, perSecond) => {
        const organization = new Organization(RATES);
        let served = 0;
        for (let tick = 0; tick < 10 * perSecond; tick++) {
          const now = (tick * SECOND) / perSecond;
          for (let n = 0; n < flooding; n++) served += Number(organization.take(`flood-${n}`, now) === null);
          if (tick % Math.ceil(perSecond / 10) === 0) expect(organization.take('quiet', now)).toBeNull();
        }
        // Ten seconds of a hundred, what was in the bucket at first, and what it may owe.
        expect(served).toBeLessThanOrEqual(1_200);
        expect(served).toBeGreaterThanOrEqual(880);
      }),
      { numRuns: 20 },
    );
  });

  it('give one that is alone no more than the organization has', () => {
    const alone = new Organization(RATES);
    let served = 0;
    for (let tick = 0; tick < 10_000; tick++)
      served += Number(alone.take('one', (tick * 5 * SECOND) / 10_000) === null);
    expect(served).toBeLessThanOrEqual(600);
    expect(served).toBeGreaterThanOrEqual(598);
  });

  it('owe the organization no more than one second’s worth', () => {
    const organization = new Organization(RATES);
    let served = 0;
    for (let n = 0; n < 1_000; n++) served += Number(organization.take(`project-${n}`, 0) === null);
    expect(served).toBe(200);
  });

  it('say which limit was reached, and take nothing of the others then', () => {
    const rates = { org: 4, project: 3, key: 2, guaranteed: 0 };
    const organization = new Organization(rates);
    const taken = (project: string, key: string) => organization.take(project, 0, { key });
    expect([taken('a', 'a1'), taken('a', 'a1'), taken('a', 'a1')]).toEqual([null, null, 'key']);
    expect([taken('a', 'a2'), taken('a', 'a2')]).toEqual([null, 'project']);
    expect([taken('b', 'b1'), taken('b', 'b1')]).toEqual([null, 'org']);
  });
});

const counted = (orgId: string, org: number, of: Partial<Rates> = {}) => ({
  ...{ orgId, projectId: `project of ${orgId}`, keyId: null },
  rates: { org, project: null, key: null, guaranteed: 0, ...of },
});

describe('LocalBuckets', () => {
  it('keeps organizations apart, and forgets those that are idle', () => {
    let now = 0;
    const buckets = new LocalBuckets(() => now);
    const refusedBy = (orgId: string) => buckets.take(counted(orgId, 1)).refusedBy;
    expect([refusedBy('a'), refusedBy('a'), refusedBy('b')]).toEqual([null, 'org', null]);
    for (let org = 0; org < 10_000; org++, now += 1_000) refusedBy(`org-${org}`);
    expect(buckets.size).toBeLessThan(10_100);
    expect(refusedBy('org-9999')).toBe('org');
  });

  it('keeps projects and keys apart', () => {
    const buckets = new LocalBuckets(() => 0);
    const refusedBy = (projectId: string, keyId: string) =>
      buckets.take({ orgId: 'a', projectId, keyId, rates: { org: 100, project: 2, key: 1, guaranteed: 0 } }).refusedBy;
    expect([refusedBy('p', 'k'), refusedBy('p', 'k'), refusedBy('p', 'l'), refusedBy('p', 'm')]).toEqual([
      ...[null, 'key', null, 'project'],
    ]);
    expect(refusedBy('q', 'n')).toBeNull();
  });
});
