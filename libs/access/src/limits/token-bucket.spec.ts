import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LocalBuckets } from './local-buckets.js';
import { takeToken, type Bucket } from './token-bucket.js';

const SECOND = 1_000_000;

/** A request: how long after the one before it, in microseconds. */
const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 3 * SECOND })), {
  minLength: 1,
  maxLength: 300,
});

describe('takeToken', () => {
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

  it('fills nothing while the clock goes back, and goes on from there', () => {
    const { bucket, allowed } = takeToken({ tokens: 0, at: 10 * SECOND }, 5, 2 * SECOND);
    expect(allowed).toBe(false);
    expect(takeToken(bucket, 5, 3 * SECOND)).toMatchObject({ allowed: true, remaining: 4 });
  });
});

describe('LocalBuckets', () => {
  it('keeps organizations apart, and forgets those that are idle', () => {
    let now = 0;
    const buckets = new LocalBuckets(() => now);
    expect([buckets.take('a', 1).allowed, buckets.take('a', 1).allowed, buckets.take('b', 1).allowed]).toEqual([
      true,
      false,
      true,
    ]);
    for (let org = 0; org < 10_000; org++, now += 1_000) buckets.take(`org-${org}`, 1);
    expect(buckets.size).toBeLessThan(1_100);
    expect(buckets.take('org-9999', 1).allowed).toBe(false);
  });
});
